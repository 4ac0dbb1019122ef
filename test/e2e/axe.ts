import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Page, expect } from '@playwright/test'
import type Axe from 'axe-core'
import type { Tondesk } from './fixture.ts'

declare global {
  interface Window {
    /** Undefined until a test has looked at this document. */
    axe?: typeof Axe
  }
}

let source: string | undefined
const readSource = () =>
  (source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))

// The themes differ in nothing but colours.
const rulesOfColour = ['color-contrast', 'link-in-text-block']

// Axe gives these rules an impact of at most moderate, so what they find would not be told; they are
// the dearest such rules.
const rulesLeftOut = [
  'focus-order-semantics',
  'hidden-content',
  'page-has-heading-one',
  'presentation-role-conflict',
  'region',
]

/**
 * Serious and critical findings, one line each: all there are in the light theme, and those of colour
 * in the dark one. The app has to follow the system's theme, as it does unless told otherwise.
 */
export async function findings(page: Page): Promise<string[]> {
  if ((await page.locator('html[data-theme=light], html[data-theme=dark]').count()) > 0) {
    throw new Error('A theme is set, so this would see that one only.')
  }
  // Once for a document: compiling axe takes as long as looking with it.
  if (await page.evaluate(() => window.axe === undefined)) await page.evaluate(readSource())
  const light = await lookTwice(page, 'light')
  const dark = await lookTwice(page, 'dark', rulesOfColour)
  await page.emulateMedia({ colorScheme: null })
  return [...light, ...dark]
}

/** Looks at a page in browser mode only: the other hosts have the same pages in the same Chromium. */
export function looking({ host, page }: Tondesk): (what: string) => Promise<void> {
  return async (what) => {
    if (host === 'browser') expect.soft(await findings(page), what).toEqual([])
  }
}

/** What begins to fade while it is being looked at is found once only: what is wrong is found again. */
async function lookTwice(...asked: Parameters<typeof look>): Promise<string[]> {
  const found = await look(...asked)
  if (found.length === 0) return []
  const again = await look(...asked)
  return found.filter((each) => again.includes(each))
}

async function look(
  page: Page,
  colorScheme: 'light' | 'dark',
  rules?: string[],
): Promise<string[]> {
  await page.emulateMedia({ colorScheme })
  const options: Axe.RunOptions = {
    // Telling what has passed takes longer than finding it out.
    resultTypes: ['violations'],
    ...(rules === undefined
      ? { rules: Object.fromEntries(rulesLeftOut.map((id) => [id, { enabled: false }])) }
      : { runOnly: rules }),
  }
  const violations = await page.evaluate(async (given) => {
    // Half faded in, nothing has the contrast it will have.
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    await Promise.all(ending.map(({ finished }) => finished.catch(() => undefined)))
    if (window.axe === undefined) throw new Error('The window was loaded anew meanwhile.')
    return (await window.axe.run(document, given)).violations
  }, options)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, any }) => {
        const why = any.map(({ message }) => message).join(' ')
        return `${colorScheme}: ${id}: ${help}: ${target.join(' ')} (${why})`
      }),
    )
}
