import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { folded, unaccented, visible } from './folding.ts';

describe('unaccented', () => {
  it.each([
    ['naïve café', 'naive cafe'],
    ['İSTANBUL', 'istanbul'],
    ['ﬁle ① Ｆｕｌｌ', 'file 1 full'],
    ['cafe\u0301', 'cafe'],
  ])('%s → %s', (text, expected) => expect(unaccented(text)).toBe(expected));
});

/** Pairs of words: those that writers of a script spell either way, and those that a mark makes different. */
const scripts: [script: string, alike: [string, string][], different: [string, string][]][] = [
  [
    'Latin',
    [
      ['Café', 'cafe'],
      ['Việt', 'viet'],
      ['Łódź', 'lodz'],
      ['ＦＵＬＬ', 'full'],
    ],
    [['rose', 'rosa']],
  ],
  [
    'Greek',
    [
      ['οδός', 'ΟΔΟΣ'],
      ['Ἑλλάς', 'ελλασ'],
      ['προϊόν', 'προιον'],
    ],
    [['νόμος', 'νόμου']],
  ],
  [
    'Cyrillic',
    [
      ['ёлка', 'Елка'],
      ['за́мок', 'замо́к'],
      ['ѝ', 'и'],
    ],
    [
      ['мой', 'мои'],
      ['ї', 'і'],
      ['ќ', 'к'],
      ['ў', 'у'],
    ],
  ],
  ['Hebrew', [['שָׁלוֹם', 'שלום']], [['ספר', 'ספור']]],
  [
    'Arabic',
    [
      ['كَتَبَ', 'كتب'],
      ['أحمد', 'احمد'],
      ['كـتاب', 'كتاب'],
      ['می‌روم', 'میروم'],
      ['مدرسة', 'مدرسه'],
      ['مصطفى', 'مصطفي'],
    ],
    [['سؤال', 'سوال']],
  ],
  [
    'Persian and Urdu',
    [
      ['کتاب', 'كتاب'],
      ['ایران', 'ايران'],
      ['خانهٔ', 'خانه'],
      ['خانۀ', 'خانه'],
      ['ہے', 'هي'],
    ],
    [['کار', 'گار']],
  ],
  ['Syriac', [['ܫܠܳܡܳܐ', 'ܫܠܡܐ']], [['ܫܠܡ', 'ܫܠܡܐ']]],
  ['Thaana', [], [['ދިވެހި', 'ދވހ']]],
  [
    'Devanagari',
    [['ऋ॒षि', 'ऋषि']],
    [
      ['पिता', 'पता'],
      ['दिन', 'दान'],
      ['ज़रा', 'जरा'],
    ],
  ],
  [
    'Bengali',
    [],
    [
      ['বই', 'বি'],
      ['দিন', 'দান'],
      ['মা', 'মি'],
    ],
  ],
  ['Gurmukhi', [], [['ਦਿਨ', 'ਦਾਨ']]],
  ['Gujarati', [], [['દિન', 'દાન']]],
  [
    'Tamil',
    [],
    [
      ['கல்', 'கால்'],
      ['மணி', 'மணல்'],
    ],
  ],
  ['Telugu', [], [['పాలు', 'పులి']]],
  ['Kannada', [], [['ಕಲೆ', 'ಕಾಲ']]],
  ['Malayalam', [], [['മല', 'മാല']]],
  ['Sinhala', [], [['මල', 'මාල']]],
  [
    'Thai',
    [],
    [
      ['ไก่', 'ไก'],
      ['ปี', 'ปา'],
      ['มา', 'ม้า'],
    ],
  ],
  ['Lao', [], [['ມາ', 'ມ້າ']]],
  ['Khmer', [], [['កា', 'កី']]],
  ['Myanmar', [], [['မိ', 'မာ']]],
  ['Tibetan', [], [['བོད', 'བུད']]],
  [
    'Hiragana',
    [['か\u3099', 'が']],
    [
      ['はは', 'ばば'],
      ['かき', 'かぎ'],
    ],
  ],
  [
    'Katakana',
    [['ﾊﾟﾊﾟ', 'パパ']],
    [
      ['ハハ', 'パパ'],
      ['カス', 'ガス'],
    ],
  ],
  [
    'Kana',
    [
      ['ひらがな', 'ヒラガナ'],
      ['らーめん', 'ﾗｰﾒﾝ'],
      ['ゔぁいおりん', 'ヴァイオリン'],
    ],
    [['はは', 'ババ']],
  ],
  ['Hangul', [['\u1112\u1161\u11ab', '한']], [['가', '각']]],
];

describe.each(scripts)('in %s', (_, alike, different) => {
  if (alike.length > 0)
    it.each(alike)('%s and %s are one word', (one, other) => expect(folded(visible(one))).toBe(folded(visible(other))));
  if (different.length > 0)
    it.each(different)('%s and %s are two', (one, other) => {
      expect(folded(visible(one))).not.toBe(folded(visible(other)));
    });
});

it('folds a folded text to itself', () => {
  const letters = fc.constantFrom(
    ...'a ä ß И й ё е א ש ׁ ا أ َ ٓ प त ा ि 가 か ハ \u0300 \u0301 \u0306 \u0308 \u0323 \u3099 \u309a \u0653 \u064e \u0e31 ه ہ ة ۀ ی ى ے ي ک \u0654 \u0655 ワ ウ'.split(
      ' ',
    ),
  );
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: letters })), (text) => {
      const once = folded(visible(text));
      expect(folded(visible(once))).toBe(once);
    }),
  );
});
