declare module 'markdown-it/lib/rules_block/*.mjs' {
  import type MarkdownIt from 'markdown-it';

  const rule: Parameters<MarkdownIt['block']['ruler']['push']>[1];
  export default rule;
}
