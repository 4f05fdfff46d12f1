import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { isLoopback } from './environment-variables.ts';
import type { BaseSettings } from './read-environment.ts';
import { WEBHOOK_PATH } from './receive-webhook.ts';

/** https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest */
const MANIFEST = z.strictObject({
  name: z.string().max(34),
  url: z.url(),
  description: z.string(),
  public: z.boolean(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
  default_events: z.array(z.string()),
});

export type Manifest = z.infer<typeof MANIFEST> & {
  readonly hook_attributes: { readonly url: string; readonly active: true };
  readonly redirect_url: string;
};

export type ComposedManifest =
  | { readonly kind: 'composed'; readonly manifest: Manifest }
  /** GitHub could not reach us. What to set, in one text. */
  | { readonly kind: 'unreachable'; readonly advice: string };

export const CALLBACK_PATH = '/setup/callback';

/**
 * Fills in `app.yml` where GitHub sends deliveries (the webhook proxy when there is one) and where it sends the
 * person back to (`PUBLIC_URL`, else this machine).
 */
export function composeManifest(settings: BaseSettings, localUrl: string): ComposedManifest {
  const { publicUrl, webhookProxyUrl } = settings;
  const hookUrl = webhookProxyUrl ?? (publicUrl === undefined ? undefined : publicUrl + WEBHOOK_PATH);
  if (hookUrl === undefined) return { kind: 'unreachable', advice: UNREACHABLE };
  if (isLoopback(hookUrl) && !isLoopback(settings.githubUrl))
    return { kind: 'unreachable', advice: `PUBLIC_URL leads to this machine itself. ${UNREACHABLE}` };
  const manifest = {
    ...readManifest(),
    hook_attributes: { url: hookUrl, active: true as const },
    redirect_url: (publicUrl ?? localUrl) + CALLBACK_PATH,
  };
  return { kind: 'composed', manifest };
}

const UNREACHABLE =
  'GitHub does not know where to send events. Set PUBLIC_URL to the address this server has on the internet ' +
  '(for example PUBLIC_URL=https://skillkeeper.example.com) and start again. On a machine without one, for ' +
  'development: open https://smee.io/new, set WEBHOOK_PROXY_URL to the address you get, and start again.';

/** What the app asks for, as `app.yml` says. One folder further down when built, so it is looked for upwards. */
export function readManifest(folder = import.meta.dirname): z.infer<typeof MANIFEST> {
  const file = join(folder, 'app.yml');
  if (!existsSync(file) && folder !== dirname(folder)) return readManifest(dirname(folder));
  return MANIFEST.parse(parse(readFileSync(file, 'utf8')));
}
