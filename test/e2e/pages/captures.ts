/** Drives the list of captures. */
import type { Locator, Page } from '@playwright/test'
import { captureDetail } from './capture-detail.ts'
import { openPage, question } from './frame.ts'

/** Returns the rows that exist in the page; the list is virtual. */
export function rows(page: Page): Locator {
  return page.getByRole('grid', { name: 'Captures' }).locator('[data-id]')
}

/** Opens the newest capture and waits for its detail. */
export async function openNewest(page: Page): Promise<void> {
  await rows(page).first().click()
  await captureDetail(page).open.waitFor()
}

/** Opens a visible capture. */
export async function openCapture(page: Page, id: number): Promise<void> {
  await captureList(page).row(id).click()
  await captureDetail(page, id).open.waitFor()
}

export function captureList(page: Page) {
  const grid = page.getByRole('grid', { name: 'Captures' })
  return {
    text: { duplicate: 'duplicate', truncated: 'truncated' },
    row: (id: number) => grid.locator(`[data-id="${id}"]`),
    rowOfInvoice: (id: string, state: string) =>
      page.getByRole('row').filter({ hasText: `${id} ${state}` }),
    grid,
    /** The chart of arrivals, and its table. */
    rejectedBar: page.locator('#arrivals b').last(),
    showArrivalsAsTable: page.getByRole('button', {
      name: 'Show the captures over time as a table',
    }),
    arrivals: page.getByRole('table', { name: 'Captures over time' }).locator('tbody tr'),
    chooseArrivals: (index: number) =>
      page
        .getByRole('table', { name: 'Captures over time' })
        .locator('tbody')
        .getByRole('button')
        .nth(index)
        .click(),
    /** The number of rows that are visible without scrolling. */
    rowsInSight: () =>
      rows(page).evaluateAll(
        (all) => all.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length,
      ),
    showDeliveries: () =>
      page.getByRole('button', { name: /^Show the deliveries of this payment/ }).click(),
    count: (count: number) => page.getByText(`${count} captures`, { exact: true }).first(),
    pin: (id: number) => grid.locator(`[data-id="${id}"]`).getByTitle('Pinned'),
    /** The bar that counts new captures while the list is scrolled. */
    newCaptures: (count: number) => page.getByRole('button', { name: `${count} new` }),
    listWidth: page.getByRole('separator', { name: 'List width' }),
    clear: async () => {
      await page.getByRole('button', { name: 'More actions', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Delete all captures…' }).click()
    },
    clearQuestion: (count: number) => {
      const dialog = page.getByRole('dialog', {
        name: `Delete ${count} capture${count === 1 ? '' : 's'}?`,
      })
      return {
        dialog,
        confirm: dialog.getByRole('button', { name: new RegExp(`^Delete ${count} capture`) }),
      }
    },
    deleteQuestion: (id: number) => question(page, 'Delete capture', `Delete capture ${id}?`),
    replayAll: page.getByRole('button', { name: 'Replay all matches…' }),
    /**
     * The texts of the cells in the page, except for times, durations and the state of forwarding.
     */
    cellTexts: () =>
      rows(page).evaluateAll((elements) =>
        elements.map((row) => {
          const cells = Array.from(row.querySelectorAll('[role=gridcell]'))
          const [, , , kind, , account, amount, content, status] = cells
          const pieces = Array.from(content?.firstElementChild?.children ?? [])
          const texts = [kind, account, amount, ...pieces, status].map(
            // These words are the app's own.
            (each) => (each?.textContent ?? '').replace(/^Not explained yet(, )?/, ''),
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
  responseRules: 'Responses',
  tunnels: 'Tunnels',
}

/** Opens one of the views beside the list of captures. */
export async function openInspectorView(page: Page, name: keyof typeof views): Promise<void> {
  await openPage(page, 'inspector')
  const navigation = page.getByRole('navigation', { name: 'Inspector' })
  await navigation.getByRole('link', { name: views[name], exact: true }).click()
}
