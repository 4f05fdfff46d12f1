import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers one request. What it throws becomes a 500 without details. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Answers with JSON; does nothing when the request has been answered or its client is gone. */
export function answerJson(
  response: ServerResponse,
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): void {
  answer(response, status, `${JSON.stringify(body)}\n`, { 'content-type': 'application/json', ...headers });
}

/** Answers with a page; `headers` may widen the content security policy, which allows nothing. */
export function answerHtml(
  response: ServerResponse,
  status: number,
  html: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  answer(response, status, html, { 'content-type': 'text/html; charset=utf-8', ...headers });
}

function answer(response: ServerResponse, status: number, text: string, headers: Record<string, string>) {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    ...headers,
    'content-length': String(Buffer.byteLength(text)),
  });
  response.end(text);
}
