import { createHash } from 'node:crypto';
import type { Manifest } from './compose-manifest.ts';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem;color:#1f2328;background:#fff}' +
  'h1{font-size:1.5rem}button,input{font:inherit;padding:.4rem .8rem}code{background:#eff1f3;padding:0 .2rem}' +
  '.main{background:#1f883d;color:#fff;border:0;border-radius:6px}td{padding:0 1rem 0 0}' +
  '@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}code{background:#262c36}}';

/** Headers of a set-up page: no script at all, one style, forms to GitHub and to us. */
export function pageHeaders(githubUrl: string): Readonly<Record<string, string>> {
  const style = createHash('sha256').update(STYLE).digest('base64');
  const forms = `form-action 'self' ${new URL(githubUrl).origin}`;
  const none = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";
  return {
    'content-security-policy': `${none}; style-src 'sha256-${style}'; ${forms}`,
    // `no-referrer` would make browsers post the form to GitHub with `Origin: null`; paths stay with us anyway.
    'referrer-policy': 'strict-origin',
  };
}

export interface RegisterPage {
  readonly manifest: Manifest;
  readonly githubUrl: string;
  /** Empty: the person's own account. */
  readonly organisation: string;
  readonly state: string;
}

/** Explains what is asked for, with the one button that takes the manifest to GitHub. */
export function renderRegisterPage({ manifest, githubUrl, organisation, state }: RegisterPage): string {
  const owner = organisation === '' ? '' : `/organizations/${encodeURIComponent(organisation)}`;
  const action = `${githubUrl}${owner}/settings/apps/new?state=${encodeURIComponent(state)}`;
  const rights = Object.entries(manifest.default_permissions).map(
    ([name, access]) => `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml(access)}</td></tr>`,
  );
  const whose = organisation === '' ? 'your own account' : `the organisation ${escapeHtml(organisation)}`;
  return renderPage(
    'Set up Skillkeeper',
    `<p>This server has no GitHub App yet. The button takes you to GitHub, where you name the app and create it for
${whose}. GitHub sends you back here; the app's key and secrets are kept on this server only.</p>
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="manifest" value="${escapeHtml(JSON.stringify(manifest))}">
<p><button class="main">Create the app on GitHub</button></p></form>
<form method="get" action="./"><p><label>For an organisation instead:
<input name="organisation" value="${escapeHtml(organisation)}" placeholder="its name"></label> <button>Choose</button></p></form>
<p>It asks for:</p><table>${rights.join('')}</table>
<p>Deliveries go to <code>${escapeHtml(manifest.hook_attributes.url)}</code>.</p>`,
  );
}

/** For whoever has no token: where it is, and a field for it. */
export function renderTokenPage(): string {
  return renderPage(
    'Set-up is locked',
    `<p>Skillkeeper printed an address with a set-up token when it started. Open that address, or enter the token.</p>
<form method="get" action="./"><p><input name="token" autocomplete="off" aria-label="Set-up token"> <button>Unlock</button></p></form>`,
  );
}

/** The app is there: where to install it. */
export function renderDonePage(appUrl: string, credentials: string): string {
  const install = `${appUrl.replace(/\/+$/, '')}/installations/new`;
  return renderPage(
    'The app is ready',
    `<p>Its credentials are kept in <code>${escapeHtml(credentials)}</code>, readable by this server alone.</p>
<p><a rel="noreferrer" href="${escapeHtml(install)}">Install it on your repositories</a>, then comment
<code>/skillkeeper help</code> on a pull request.</p>`,
  );
}

/** Says what is wrong and what to do; plain text, escaped here. */
export function renderProblemPage(title: string, text: string): string {
  return renderPage(title, `<p>${escapeHtml(text)}</p>`);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}

function renderPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><h1>${escapeHtml(title)}</h1>
${body}
</body></html>
`;
}
