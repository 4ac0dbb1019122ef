/** The inspector's list of captures. */
import type { Locator, Page } from '@playwright/test'
import { detail } from './capture-detail.ts'
import { openPage } from './frame.ts'

/** Rows of the list that are in the page; the list is virtual. */
export function rows(page: Page): Locator {
  return page.getByRole('grid', { name: 'Captures' }).locator('[data-id]')
}

/** Opens the newest capture and waits for its detail. */
export async function openNewest(page: Page): Promise<Locator> {
  await rows(page).first().click()
  const open = detail(page)
  await open.waitFor()
  return open
}

export function captureList(page: Page) {
  return {
    text: { duplicate: 'duplicate' },
    row: (id: number) => page.locator(`#capture-${id}`),
    rowOfInvoice: (id: string, state: string) =>
      page.getByRole('row').filter({ hasText: `${id} ${state}` }),
    replayAll: page.getByRole('button', { name: 'Replay all…' }),
    /** The text of each cell in the page, but of those that show a time, a duration and forwarding. */
    cellTexts: () =>
      rows(page).evaluateAll((elements) =>
        elements.map((row) => {
          const cells = Array.from(row.querySelectorAll('[role=gridcell]'))
          const [, kind, , account, amount, content, status] = cells
          const pieces = Array.from(content?.children ?? [])
          const texts = [kind, account, amount, ...pieces, status].map(
            (each) => each?.textContent ?? '',
          )
          return {
            id: Number(row.getAttribute('data-id')),
            texts: texts.filter((each) => each !== ''),
          }
        }),
      ),
  }
}

const views = {
  forwarding: 'Forwarding',
  replays: 'Replays',
  responseRules: 'Answers',
  tunnels: 'Tunnels',
}

/** Opens one of the views beside the list of captures. */
export async function openInspectorView(page: Page, name: keyof typeof views): Promise<void> {
  await openPage(page, 'inspector')
  const navigation = page.getByRole('navigation', { name: 'Inspector' })
  await navigation.getByRole('link', { name: views[name], exact: true }).click()
}
