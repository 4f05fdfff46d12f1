import { z } from 'zod';

/** The app GitHub made from the manifest. Holds secrets. */
const NEW_APP = z.object({
  id: z.number().int().positive(),
  html_url: z.url(),
  pem: z.string().min(1),
  webhook_secret: z.string().min(32),
});

export type NewApp = z.infer<typeof NEW_APP>;

export type Exchange =
  | { readonly kind: 'created'; readonly app: NewApp }
  | { readonly kind: 'refused'; readonly problem: string };

/** Trades the code GitHub sent the person back with for the new app's credentials. A code works once, for an hour. */
export async function exchangeManifestCode(githubApiUrl: string, code: string): Promise<Exchange> {
  const url = `${githubApiUrl}/app-manifests/${encodeURIComponent(code)}/conversions`;
  try {
    const response = await fetch(url, { ...REQUEST, signal: AbortSignal.timeout(10_000) });
    if (response.status !== 201) {
      await response.body?.cancel();
      return refuse(
        `GitHub answered ${response.status}: ${EXPLAINED[response.status] ?? 'it is not itself'}.`,
      );
    }
    const { data } = NEW_APP.safeParse(await response.json()); // its messages could quote secrets
    return data === undefined
      ? refuse(
          'GitHub made the app, but its answer lacks a private key or a webhook secret of 32 characters.',
        )
      : { kind: 'created', app: data };
  } catch (error) {
    const { cause, name } = error as Error;
    const why = (cause as NodeJS.ErrnoException | undefined)?.code ?? name;
    return refuse(`GitHub's API at ${githubApiUrl} could not be reached (${why}). Check GITHUB_API_URL.`);
  }
}

const REQUEST: RequestInit = {
  method: 'POST',
  redirect: 'error',
  headers: { accept: 'application/vnd.github+json', 'user-agent': 'skillkeeper' },
};

const EXPLAINED: Readonly<Record<number, string>> = {
  404: 'the code is used or older than an hour',
  422: 'the code is not valid',
};

function refuse(problem: string): Exchange {
  return { kind: 'refused', problem };
}
