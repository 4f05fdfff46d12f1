import fc from 'fast-check';
import { remark } from 'remark';
import { describe, expect, it } from 'vitest';
import { composeMarker, findMarker } from '../../src/forge/markers.ts';

const sticky = { name: 'sticky', values: {} };

describe('markers', () => {
  it('are one HTML comment', () => {
    expect(composeMarker(sticky)).toBe('<!-- skillkeeper:sticky -->');
    expect(composeMarker({ name: 'reply', values: { run: '7f3a' } })).toBe(
      '<!-- skillkeeper:reply run=7f3a -->',
    );
  });

  it.each([
    ['on the first line', '<!-- skillkeeper:sticky -->\n### Skillkeeper'],
    ['on the last line', '### Skillkeeper\n\n<!-- skillkeeper:sticky -->\n'],
    ['with the line ends of a browser', 'text\r\n<!-- skillkeeper:sticky -->\r\n'],
    ['alone', '<!-- skillkeeper:sticky -->'],
  ])('are found %s', (_, body) => {
    expect(findMarker(body)).toEqual(sticky);
  });

  it.each([
    ['in the middle', 'a\n<!-- skillkeeper:sticky -->\nb'],
    ['beside other text', 'a <!-- skillkeeper:sticky -->'],
    ['in a quote', '> <!-- skillkeeper:sticky -->'],
    ['written another way', '<!--skillkeeper:sticky-->'],
    ['with another way to write a value', '<!-- skillkeeper:reply run=%61 -->'],
    ['with a value twice', '<!-- skillkeeper:reply run=a run=b -->'],
    ['with a broken escape', '<!-- skillkeeper:reply run=%E0%A4%A -->'],
    ['of somebody else', '<!-- renovate:sticky -->'],
    ['nowhere', ''],
  ])('are not found %s', (_, body) => {
    expect(findMarker(body)).toBeUndefined();
  });

  it('carry any value, and nothing in it breaks out', () => {
    const nasty = fc.array(
      fc.oneof(
        fc.constantFrom('-->', '--', '--!>', '>', '<!--', '\n', ' ', '=', '%', '-'),
        fc.string({ unit: 'binary', maxLength: 4 }),
      ),
    );
    fc.assert(
      fc.property(
        fc.array(
          nasty.map(parts => parts.join('')),
          { minLength: 1, maxLength: 3 },
        ),
        values => {
          const marker = {
            name: 'gate',
            values: Object.fromEntries(values.map((value, index) => [`v${index}`, value])),
          };
          const line = composeMarker(marker);
          expect(line.slice(4, -3)).not.toMatch(/--|[<>\r\n]/);
          expect(
            remark()
              .parse(`text\n\n${line}`)
              .children.map(({ type }) => type),
          ).toEqual(['paragraph', 'html']);
          expect(findMarker(`text\n\n${line}`)).toEqual(marker);
        },
      ),
    );
  });

  it('have names of our own making', () => {
    expect(() => composeMarker({ name: 'a b', values: {} })).toThrow(TypeError);
    expect(() => composeMarker({ name: 'a', values: { 'x -->': '1' } })).toThrow(TypeError);
  });
});
