import type { Need } from '../auth/access.ts';
import type { Principal } from '../auth/principal.ts';
import type { Core } from '../core.ts';
import type { Value } from '../openapi/check-request.ts';
import type { App, InstallationToken, Repository } from '../world/world.ts';

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Call {
  readonly core: Core;
  readonly principal: Principal;
  readonly parameters: Readonly<Record<string, Value>>;
  /** The JSON object that was sent, or an empty one. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Of the request, with its query. */
  readonly url: URL;
}

export interface AppCall extends Call {
  readonly app: App;
}

interface TokenCall extends Call {
  readonly token: InstallationToken;
}

export interface RepositoryCall extends Call {
  readonly repository: Repository;
}

type Handler<T> = (call: T) => Reply | Promise<Reply>;

/** Who may call: anybody, an app by its JWT, an installation by its token, or whoever may do that in a repository. */
export type Route =
  | { readonly route: string; readonly access: 'open'; readonly handle: Handler<Call> }
  | { readonly route: string; readonly access: 'app'; readonly handle: Handler<AppCall> }
  | { readonly route: string; readonly access: 'token'; readonly handle: Handler<TokenCall> }
  | {
      readonly route: string;
      readonly access: 'repository';
      readonly need: Need;
      readonly handle: Handler<RepositoryCall>;
    };

export const ok = (body: unknown, status = 200): Reply => ({ status, body });

export function number(call: Call, name: string): number {
  return Number(call.parameters[name]);
}

export function text(call: Call, name: string): string {
  return String(call.parameters[name] ?? '');
}
