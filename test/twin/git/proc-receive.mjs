// The hook `proc-receive` of every repository of the twin. It decides nothing: it hands the pushed commands to the
// twin and gives its verdicts back to git. https://git-scm.com/docs/githooks#proc-receive
import { request } from 'node:http';

const packets = readPackets();
const [version = ''] = await readSection();
write([version.includes('atomic') ? 'version=1\0atomic' : 'version=1']);
const commands = (await readSection()).map(line => {
  const [before, after, ref] = line.trim().split(' ');
  return { before, after, ref };
});
const { results, words } = await ask({ commands, atomic: version.includes('atomic') });
for (const word of words) process.stderr.write(`${word}\n`);
write(results);

async function readSection() {
  const lines = [];
  for (;;) {
    const { value, done } = await packets.next();
    if (done || value === null) return lines;
    lines.push(value);
  }
}

function ask(push) {
  return new Promise((resolve, reject) => {
    const url = `${process.env.TWIN_ORIGIN}/_twin/push?${process.env.QUERY_STRING}`;
    const call = request(url, { method: 'POST' }, async response => {
      let text = '';
      for await (const chunk of response) text += chunk;
      if (response.statusCode === 200) resolve(JSON.parse(text));
      else reject(new Error(`The twin answered its own hook with ${response.statusCode}: ${text}`));
    });
    call.on('error', reject);
    call.end(JSON.stringify(push));
  });
}

/** Packets as text, null for a flush. */
async function* readPackets() {
  let held = Buffer.alloc(0);
  for await (const chunk of process.stdin) {
    held = Buffer.concat([held, chunk]);
    while (held.length >= 4) {
      const length = Number.parseInt(held.toString('latin1', 0, 4), 16);
      const size = Math.max(4, length);
      if (held.length < size) break;
      const text = held.toString('utf8', 4, size);
      held = held.subarray(size);
      yield length === 0 ? null : text;
    }
  }
}

function write(texts) {
  const lines = texts.map(text => {
    const length = (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0');
    return `${length}${text}`;
  });
  process.stdout.write(`${lines.join('')}0000`);
}
