export const PAGE_SIZE = 100;
// 100 pages are ten thousand entries; GitHub itself stops at 2,500 comments of a thread.
const MOST_PAGES = 100;

/** Everything a listing holds: asks for page after page (from 1) until one is not full. */
export async function everyPage<Item>(
  ask: (page: number) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const items = await ask(page);
    all.push(...items);
    if (items.length < PAGE_SIZE) break;
  }
  return all;
}
