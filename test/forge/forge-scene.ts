import type { Forge } from '../../src/forge/forge.ts';
import {
  createOctokitForge,
  type OctokitForge,
  type OctokitForgeOptions,
} from '../../src/forge/open-octokit-forge.ts';
import { openScene, type Scene } from '../twin/scene.ts';
import type { TwinOptions } from '../twin/start-twin.ts';
import type { Repository } from '../twin/world/world.ts';

export interface ForgeScene extends Scene {
  readonly octokitForge: OctokitForge;
  readonly forge: Forge;
  readonly repository: Repository;
  /** A second adapter with nothing remembered, over the same twin. */
  readonly another: (
    options?: Partial<OctokitForgeOptions>,
  ) => Promise<Forge & { readonly whole: OctokitForge }>;
  /** Everything that was logged, as a logger would write it. */
  readonly logged: string[];
}

/** The adapter over the twin: `acme/docs`, our app installed, `mara` may write, `rob` may not. */
export async function openForgeScene(options: TwinOptions = {}): Promise<ForgeScene> {
  const scene = await openScene(options);
  const { twin, installation } = scene;
  const repository = twin.thread('acme/docs', (await openThread(scene)).number).repository;
  const logged: string[] = [];
  const write = (fields: object, message: string): void =>
    void logged.push(JSON.stringify({ fields, message }));
  const create = (more: Partial<OctokitForgeOptions> = {}): OctokitForge =>
    createOctokitForge({
      appId: twin.app.id,
      privateKey: twin.app.privateKey,
      apiUrl: twin.url,
      gitUrl: twin.url,
      userAgent: 'skillkeeper-test',
      log: { debug: write, warn: write },
      clock: { now: () => twin.clock.now() },
      ...more,
    });
  const place = { installationId: installation.id, repositoryId: repository.id };
  const octokitForge = create();
  return {
    ...scene,
    octokitForge,
    forge: await octokitForge.openForge(place),
    repository,
    another: async more => {
      const whole = create(more);
      return { ...(await whole.openForge(place)), whole };
    },
    logged,
  };
}

function openThread({ twin }: Scene) {
  return twin.openIssue({ repo: 'acme/docs', author: 'rob', title: 'The first issue' });
}
