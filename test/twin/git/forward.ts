import { request as call, type IncomingMessage, type ServerResponse } from 'node:http';

/** Hands a request on to another server under another path, and its answer back; resolves with the status. */
export function forward(
  request: IncomingMessage,
  response: ServerResponse,
  origin: string,
  path: string,
): Promise<number> {
  return new Promise(resolve => {
    const { expect: _, host: __, ...headers } = request.headers;
    const inner = call(
      `${origin}${path}`,
      { method: request.method ?? 'GET', headers, agent: false },
      answer => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        answer.once('close', () => resolve(answer.statusCode ?? 502));
      },
    );
    inner.on('error', () => {
      if (!response.headersSent) response.writeHead(502);
      response.end();
      resolve(502);
    });
    response.once('close', () => {
      if (!response.writableFinished) inner.destroy(); // the client went away
    });
    request.on('error', () => {});
    request.pipe(inner);
  });
}
