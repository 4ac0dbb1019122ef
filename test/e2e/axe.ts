import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Page, expect } from '@playwright/test'
import type Axe from 'axe-core'
import type { Tondesk } from './fixture.ts'

declare global {
  interface Window {
    /** Undefined until axe has been loaded into this document. */
    axe?: typeof Axe
  }
}

let source: string | undefined
const readSource = () =>
  (source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))

// The themes differ only in their colors, so only these rules run twice.
const rulesOfColour = ['color-contrast', 'link-in-text-block']

// The most expensive rules. Their results are the same in each state of a page, so only
// `long/views.spec.ts` runs them.
const rulesOfWholePages = [
  'focus-order-semantics',
  'hidden-content',
  'page-has-heading-one',
  'presentation-role-conflict',
  'region',
]

/**
 * Returns findings of any severity, one line each. The app must use the system’s theme, which is
 * the default.
 */
export async function findViolations(page: Page, rules: 'all' | 'of states' = 'of states') {
  if ((await page.locator('html[data-theme=light], html[data-theme=dark]').count()) > 0) {
    throw new Error('A theme is set, so this would see that one only.')
  }
  // axe is loaded once per document, because compiling it takes as long as running it.
  if (await page.evaluate(() => window.axe === undefined)) await page.evaluate(readSource())
  const left = rules === 'all' ? [] : rulesOfWholePages
  const light = await lookTwice(page, 'light', {
    rules: Object.fromEntries(left.map((id) => [id, { enabled: false }])),
  })
  const dark = await lookTwice(page, 'dark', { runOnly: rulesOfColour })
  await page.emulateMedia({ colorScheme: null })
  return [...light, ...dark]
}

/**
 * Checks a page with axe, but only in `npm run test:long`, because axe takes a tenth of the stories’
 * time, and only in browser mode, because the other hosts show the same pages in the same Chromium.
 */
export function expectAccessible({
  host,
  page,
}: Pick<Tondesk, 'host' | 'page'>): (what: string) => Promise<void> {
  return async (what) => {
    if (host === 'browser' && process.env['TONDESK_LONG'] === '1')
      expect.soft(await findViolations(page), what).toEqual([])
  }
}

/**
 * Runs the check twice, because an element that begins to fade during the first run is found only once.
 */
async function lookTwice(...asked: Parameters<typeof look>): Promise<string[]> {
  const found = await look(...asked)
  if (found.length === 0) return []
  const again = await look(...asked)
  return found.filter((each) => again.includes(each))
}

async function look(
  page: Page,
  colorScheme: 'light' | 'dark',
  rules: Axe.RunOptions,
): Promise<string[]> {
  await page.emulateMedia({ colorScheme })
  // Reporting the passed checks would take longer than the checks themselves.
  const options: Axe.RunOptions = { resultTypes: ['violations'], ...rules }
  const violations = await page.evaluate(async (given) => {
    // An element that is fading in does not have its final contrast.
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    const ended = ending.map(({ finished }) => finished.catch(() => undefined))
    // A page that is not drawn has no frames, so its animations would never end.
    await Promise.race([Promise.all(ended), new Promise((resolve) => setTimeout(resolve, 2000))])
    if (window.axe === undefined) throw new Error('The window was loaded anew meanwhile.')
    // Elements behind a dialog cannot be reached.
    const dialog = [...document.querySelectorAll('[data-modal]')].at(-1)
    return (await window.axe.run(dialog ?? document, given)).violations
  }, options)
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, any }) => {
      const why = any.map(({ message }) => message).join(' ')
      return `${colorScheme}: ${id}: ${help}: ${target.join(' ')} (${why})`
    }),
  )
}
