import { z } from 'zod';
import { repoPath } from '../snapshot/repo-path.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

const FILE = repoPath('.claude-plugin/marketplace.json');

const plugin = z.object({
  name: z.string(),
  /** A folder of this repository as text; an object names a source elsewhere, which is not looked at. */
  source: z.unknown(),
  skills: z.array(z.string()).optional().catch(undefined),
});

const marketplace = z.object({ plugins: z.array(plugin) });

export interface Plugin {
  readonly name: string;
  /** Folder the plugin is served from, as written; undefined when it is served from elsewhere. */
  readonly source: string | undefined;
  /** Skill folders as written, relative to `source`; undefined when the entry lists none. */
  readonly skills: readonly string[] | undefined;
}

export type Marketplace =
  | { readonly kind: 'found'; readonly plugins: readonly Plugin[] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'malformed'; readonly why: string };

/** Reads `.claude-plugin/marketplace.json`, the list of plugins a repository serves. */
export async function readMarketplace(snapshot: Snapshot): Promise<Marketplace> {
  const bytes = await snapshot.read(FILE);
  if (!bytes) return { kind: 'missing' };
  const json = parseJson(Buffer.from(bytes).toString('utf8'));
  if (json.kind === 'malformed') return json;
  const parsed = marketplace.safeParse(json.value);
  if (!parsed.success) return { kind: 'malformed', why: z.prettifyError(parsed.error) };
  return {
    kind: 'found',
    plugins: parsed.data.plugins.map(({ name, source, skills }) => ({
      name,
      source: typeof source === 'string' ? source : undefined,
      skills,
    })),
  };
}

function parseJson(
  text: string,
):
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'malformed'; readonly why: string } {
  try {
    return { kind: 'value', value: JSON.parse(text.replace(/^\ufeff/u, '')) };
  } catch (error) {
    return { kind: 'malformed', why: error instanceof Error ? error.message : String(error) };
  }
}
