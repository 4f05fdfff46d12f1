// Probot's own middleware with a handler that does nothing, in a process of its own; started by start-servers.ts.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createNodeMiddleware, Probot } from 'probot';
import { APP_ID, SECRET } from './make-delivery.ts';

const probot = new Probot({ appId: APP_ID, privateKey: process.env.PRIVATE_KEY ?? '', secret: SECRET });
const middleware = await createNodeMiddleware(app => void app.on('issue_comment.created', () => {}), {
  probot,
});
const server = createServer((request, response) => {
  void middleware(request, response, () => response.writeHead(404).end());
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`http://127.0.0.1:${port}/api/github/webhooks\n`);
});
process.stdin.resume().once('end', () => process.exit()); // whoever started it is gone
