declare module 'markdown-it/lib/rules_block/table.mjs' {
  import type MarkdownIt from 'markdown-it';

  const tableRule: Parameters<MarkdownIt['block']['ruler']['push']>[1];
  export default tableRule;
}
