import type { Call, Reply } from './route.ts';

const DEFAULT_SIZE = 30;
const LARGEST_SIZE = 100;

/** One page and the `Link` header around it. `wrap` puts the items where the route has them. */
export function paginate<T>(
  call: Call,
  items: readonly T[],
  present: (item: T) => unknown,
  wrap: (page: readonly unknown[]) => unknown = page => page,
): Reply {
  const size = pageSize(call);
  const page = Math.max(1, Number(call.parameters.page ?? 1));
  const last = Math.max(1, Math.ceil(items.length / size));
  const shown = items.slice((page - 1) * size, page * size);
  const links = [
    ...(page > 1 ? [link(call.url, page - 1, 'prev')] : []),
    ...(page < last ? [link(call.url, page + 1, 'next'), link(call.url, last, 'last')] : []),
    ...(page > 1 ? [link(call.url, 1, 'first')] : []),
  ];
  const headers = links.length === 0 ? {} : { link: links.join(', ') };
  return { status: 200, body: wrap(shown.map(present)), headers };
}

export function pageSize(call: Call): number {
  const asked = Number(call.parameters.per_page ?? DEFAULT_SIZE);
  return asked < 1 ? DEFAULT_SIZE : Math.min(asked, LARGEST_SIZE);
}

function link(url: URL, page: number, relation: string): string {
  const target = new URL(url);
  target.searchParams.set('page', String(page));
  return `<${target.href}>; rel="${relation}"`;
}
