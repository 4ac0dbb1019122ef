/** Every text of the product uses whole sentences with the terms of the field. */
import { expect, test } from 'vitest'
import { readTexts } from '../fixtures/texts.ts'

/** Statements of SQL are no texts. */
const texts = [
  ...readTexts('src-{main,preload}/**/*.ts'),
  ...readTexts('src-renderer/**/*.{ts,tsx}'),
  ...readTexts('build/**/*.mjs'),
].filter(({ path }) => !path.includes('/migrations/'))

/** Banned phrases and their replacements. */
const replacements: readonly (readonly [banned: RegExp, instead: string])[] = [
  [/\b(could not|cannot|can not) be had\b/i, 'name the action that failed: "Loading failed."'],
  [/\bput away\b|\bmend\b/i, '"hide" or "fix"'],
  [
    /\b(is|was|are|were|be|being) told\b|\btells? of\b/i,
    '"reports", "notifies" or the fact itself',
  ],
  [/\bwhat is (told|said|asked|known|wanted|meant)\b/i, 'the name of the thing'],
  [/\b(nobody|somebody|anybody)\b|\b(a|the) person\b/i, '"you", or the name of the role'],
  [/\bnever was (here|there)\b/i, '"not found"'],
  [/\bno more is known\b|\bas yet\b/i, 'what is known, in the present tense: "Not sent yet."'],
  [/\b(any|no) more of it\b|\b(all|none|part|rest) of it\b/i, 'the name of the thing'],
  [/^(It|They) (was|were|is|are|has|have|could|cannot|did|does|came|wants?)\b/, 'a subject'],
  [/\bis no (address|amount|hash|hook|file|id|URL|number|name)\b/i, '"is not a …"'],
  [/\b(asked|wanted|answered|looked) for\b|\basked (too often|again|about)\b/i, '"requested"'],
  [/\bof a hundred\b/i, 'a percentage'],
  [/\bby itself\b/i, '"automatically"'],
  [/\bleads? nowhere\b|\bthere is no way\b/i, 'what fails, and why'],
  [/\bgoes on\b|\bgo on\b|\bwent on\b/i, '"continues"'],
  [/\bgone wrong\b|\bwent wrong\b/i, '"failed", or "an internal error occurred"'],
  [/\bgives? it a name\b/i, '"Enter a name."'],
  [/\bmain net\b|\btest net\b/i, '"Mainnet", "Testnet"'],
]

test('the check reads more than 5,000 texts from all folders', () => {
  const roots = new Set(texts.map(({ path }) => path.split('/')[0]))
  expect([...roots].sort()).toEqual(['build', 'src-main', 'src-preload', 'src-renderer'])
  expect(texts.length).toBeGreaterThan(5000)
  const jsx = texts.filter(({ path, text }) => path.endsWith('.tsx') && /^[A-Z].*\.$/.test(text))
  expect(jsx.length).toBeGreaterThan(200)
})

test('no text contains a banned phrase', () => {
  const found = texts.flatMap(({ path, line, text }) =>
    replacements
      .filter(([banned]) => banned.test(text))
      .map(
        ([banned, instead]) => `${path}:${line}: ${banned.exec(text)?.[0]} -> ${instead}: ${text}`,
      ),
  )
  expect(found).toEqual([])
})
