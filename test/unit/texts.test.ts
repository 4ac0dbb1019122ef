/**
 * Tests that texts, comments, test titles and exported names use whole sentences with the terms of
 * the field.
 */
import { expect, test } from 'vitest'
import { readComments, readExportedNames, readTexts, readTitles } from '../fixtures/texts.ts'

/** SQL statements are not texts for users. */
const texts = [
  ...readTexts('src-{main,preload}/**/*.ts'),
  ...readTexts('src-renderer/**/*.{ts,tsx}'),
  ...readTexts('build/**/*.mjs'),
].filter(({ path }) => !path.includes('/migrations/'))

const sources = '{src-main,src-preload,src-renderer,build,test}/**/*.{ts,tsx,mjs}'
const comments = readComments(sources)
const titles = readTitles('test/**/*.{ts,mjs}')
const names = readExportedNames(sources).filter(
  // Migrations stay as released; the type is renamed together with the local names.
  ({ path }) => !path.includes('/migrations/'),
)

type Banned = readonly (readonly [banned: RegExp, instead: string, sample: string])[]

/** Phrases that no text, comment or title may contain. */
const phrases: Banned = [
  [/\b(could not|cannot|can not) be had\b/i, 'the action that failed', 'It could not be had.'],
  [/\bput away\b|\bmend(s|ed)?\b/i, '"hide" or "fix"', 'A later one mends this.'],
  [/\b(is|was|are|were|be|being) told\b|\btells? of\b/i, '"reports"', 'What the user was told.'],
  [/\bwhat is (told|said|asked|known|wanted|meant)\b/i, 'the thing', 'Shows what is known.'],
  [/\b(no|some)body\b|\b(a|the) person\b/i, '"you", or the name of the role', 'Nobody waits.'],
  [/\bnever was (here|there)\b/i, '"not found"', 'The rule never was here.'],
  [/\bno more is known\b|\bas yet\b/i, 'the present tense: "Not sent yet."', 'Not sent as yet.'],
  [/\b(any|no) more of it\b|\b(all|none|part|rest) of it\b/i, 'the thing', 'All of it is sent.'],
  [
    /^(It|They) (was|were|is|are|has|have|could|cannot|did|does|came|wants?)\b/,
    'a subject',
    'It is late.',
  ],
  [
    /\bis no (address|amount|hash|hook|file|id|URL|number|name)\b/i,
    '"is not a …"',
    'This is no id.',
  ],
  [
    /\b(asked|wanted|answered|looked) for\b|\basked (too often|again|about)\b/i,
    '"requested"',
    'Looked for.',
  ],
  [/\bof a hundred\b/i, 'a percentage', 'Of a hundred files.'],
  [/\bby itself\b/i, '"automatically"', 'Runs by itself.'],
  [/\bleads? nowhere\b|\bthere is no way\b/i, 'what fails, and why', 'The link leads nowhere.'],
  [/\bgoes on\b|\bgo on\b|\bwent on\b/i, '"continues"', 'The job goes on.'],
  [/\bgone wrong\b|\bwent wrong\b/i, '"failed"', 'Something went wrong.'],
  [/\bgives? it a name\b/i, '"Enter a name."', 'Give it a name.'],
  [/\bmain net\b|\btest net\b/i, '"Mainnet", "Testnet"', 'On the main net.'],
]

/** Words that no comment or title may contain, and that no exported name may have as a part. */
const words: Banned = [
  [/\btold\b|\btells?\b(?! (it|them) apart)/i, '"notify", "emit", "report"', 'told Matters'],
  [/\bask(s|ed|er|ing)?\b(?! the user)/i, '"request", "query", "fetch"', 'asked Of'],
  [/\banswer(s|ed|ing)?\b/i, '"response"', 'answer Rules'],
  [/\banybody\b/i, '"anyone"', 'anybody can send'],
  [/\banew\b/i, '"again"', 'begins anew'],
  [/\blanes?\b/i, '"queue"', 'mempool Lane'],
  [/\bbreathe\b/i, '"yieldToEventLoop"', 'breathe'],
  [/\bpatience\b/i, '"backoff"', 'patience Ms'],
  [/\b(clue|deed)s?\b/i, '"hint", "action"', 'deed Of'],
  [/\bmatters?\b/i, '"discrepancy"', 'open Matters'],
  [/\bjudge[sd]?\b/i, '"reconcile", "verify"', 'judge Files'],
  [/\bmeanings\b|\bmeaning of (a|the) capture/i, '"explanation"', 'meanings Of'],
  [/\bsen(t|ding) on\b/i, '"forwarded"', 'Captures are sent on.'],
  [/\b(go|goes|look|looks|looked) over\b/i, '"scan", "check"', 'Looks over all rows.'],
]

/** Words that are banned only in exported names, or only at one position in a name. */
const nameWords: Banned = [
  [/^(most|usual)\b/i, '"max…", "default…"', 'most Rows'],
  [/^(known|given|held|kept)$/i, 'the name of the thing', 'Known'],
  [/\bturns$/i, '"keyedMutex"', 'queue Turns'],
  [/(?<!recovery)(?<=[a-z]) words$/i, '"…-labels.ts"', 'status Words'],
  [/^print\b(?! Page$|$)|\bprinted\b/i, '"format…", "serialize…", "write…"', 'print Amount'],
  [/^says?\b|\bsaid\b/i, '"describe…"', 'say Status'],
  [/\bfollow(er|ers|ing)?\b|(?<!update |sign )\bfeeds?\b/i, '"watcher", "sync"', 'follow Route'],
  [/\bfigures\b/i, '"stats", "metrics"', 'invoice Figures'],
  [/\b(way|door|rush)\b/i, '"transport", "auth", "burst"', 'way Of'],
]

function findBanned(list: readonly (typeof texts)[number][], banned: Banned): string[] {
  return list.flatMap(({ path, line, text }) =>
    banned
      .filter(([pattern]) => pattern.test(text))
      .map(
        ([pattern, instead]) =>
          `${path}:${line}: ${pattern.exec(text)?.[0]} -> ${instead}: ${text}`,
      ),
  )
}

test('the check reads more than 5,000 texts from all folders', () => {
  const roots = new Set(texts.map(({ path }) => path.split('/')[0]))
  expect([...roots].sort()).toEqual(['build', 'src-main', 'src-preload', 'src-renderer'])
  expect(texts.length).toBeGreaterThan(5000)
  const jsx = texts.filter(({ path, text }) => path.endsWith('.tsx') && /^[A-Z].*\.$/.test(text))
  expect(jsx.length).toBeGreaterThan(200)
})

test('no text contains a banned phrase', () => {
  expect(findBanned(texts, phrases)).toEqual([])
})

test('the check reads all comments, exported names and test titles', () => {
  expect(comments.length).toBeGreaterThan(8000)
  expect(names.length).toBeGreaterThan(5000)
  expect(titles.length).toBeGreaterThan(2500)
})

test('comments and test titles use the terms of the field', () => {
  expect(findBanned([...comments, ...titles], [...phrases, ...words])).toEqual([])
})

test('a comment begins with the thing that it describes', () => {
  const released = /\/migrations\//
  expect(
    comments.filter(
      ({ path, text }) =>
        !released.test(path) && /^(Of|It|They|Those|What|With|As (?!many|long)|Who)\b/.test(text),
    ),
  ).toEqual([])
})

test('exported names and file names use the terms of the field', () => {
  expect(findBanned(names, [...words, ...nameWords])).toEqual([])
})

test.each([...phrases, ...words, ...nameWords])('%s is found in a sample', (banned, _, sample) => {
  expect(sample).toMatch(banned)
})
