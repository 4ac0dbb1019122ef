import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** Serious and critical findings, one line each. */
export async function findings(page: Page): Promise<string[]> {
  // Half faded in, nothing has the contrast it will have.
  await page.evaluate(() => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    return Promise.all(ending.map(({ finished }) => finished.catch(() => undefined)))
  })
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, any }) => {
        const why = any.map(({ message }) => message).join(' ')
        return `${id}: ${help}: ${target.join(' ')} (${why})`
      }),
    )
}
