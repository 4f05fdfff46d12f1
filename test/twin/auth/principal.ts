import type { Account, App, InstallationToken } from '../world/world.ts';

/** Who asks. */
export type Principal =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'app'; readonly app: App }
  | { readonly kind: 'installation'; readonly token: InstallationToken }
  | { readonly kind: 'user'; readonly account: Account };

/** The account in whose name something happens. */
export function actorOf(principal: Principal): Account | null {
  if (principal.kind === 'user') return principal.account;
  return principal.kind === 'installation' ? principal.token.installation.app.bot : null;
}

export function appOf(principal: Principal): App | null {
  return principal.kind === 'installation' ? principal.token.installation.app : null;
}
