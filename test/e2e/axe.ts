import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

// The themes differ in nothing but colours.
const rulesOfColour = ['color-contrast', 'link-in-text-block']

/**
 * Serious and critical findings, one line each: all there are in the light theme, and those of colour
 * in the dark one. The app has to follow the system's theme, as it does unless told otherwise.
 */
export async function findings(page: Page): Promise<string[]> {
  if ((await page.locator('html[data-theme=light], html[data-theme=dark]').count()) > 0) {
    throw new Error('A theme is set, so this would see that one only.')
  }
  const light = await lookTwice(page, 'light')
  const dark = await lookTwice(page, 'dark', rulesOfColour)
  await page.emulateMedia({ colorScheme: null })
  return [...light, ...dark]
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
  // Half faded in, nothing has the contrast it will have.
  await page.evaluate(() => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    return Promise.all(ending.map(({ finished }) => finished.catch(() => undefined)))
  })
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({
      // Telling what has passed takes longer than finding it out.
      resultTypes: ['violations'],
      ...(rules === undefined ? {} : { runOnly: rules }),
    })
    .analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, any }) => {
        const why = any.map(({ message }) => message).join(' ')
        return `${colorScheme}: ${id}: ${help}: ${target.join(' ')} (${why})`
      }),
    )
}
