import type { Route } from './route.ts';

export interface Match {
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
}

export type RouteTable = (method: string, pathname: string) => Match | undefined;

// These take slashes: `heads/feature/x`.
const LONG = new Set(['ref', 'branch']);

export function createRouteTable(routes: readonly Route[]): RouteTable {
  const compiled = routes.map(route => {
    const [method = '', template = ''] = route.route.split(' ');
    const names: string[] = [];
    const pattern = template.replace(/\/\{(\w+)\}/g, (_, name: string) => {
      names.push(name);
      if (name === 'path') return '(?:/(.*))?'; // the root of the contents has none
      return LONG.has(name) ? '/(.+)' : '/([^/]+)';
    });
    return { route, method, names, pattern: new RegExp(`^${pattern}$`) };
  });
  return (method, pathname) => {
    for (const each of compiled) {
      const found = each.method === method ? each.pattern.exec(pathname) : null;
      if (found === null) continue;
      const values = each.names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')]);
      return { route: each.route, path: Object.fromEntries(values) };
    }
    return undefined;
  };
}
