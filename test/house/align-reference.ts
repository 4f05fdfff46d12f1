/** Pads the cells of the tables in a page, as the formatter of this repository would. No cell may hold a pipe. */
export function alignTables(page: string): string {
  return page.replace(/(?:^\|.*\|\n)+/gmu, alignTable);
}

function alignTable(table: string): string {
  const rows = table
    .trimEnd()
    .split('\n')
    .map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    );
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  const lines = rows.map((row, at) => {
    const cells = row.map((cell, column) =>
      (at === 1 ? '-' : cell).padEnd(widths[column] ?? 0, at === 1 ? '-' : ' '),
    );
    return `| ${cells.join(' | ')} |\n`;
  });
  return lines.join('');
}
