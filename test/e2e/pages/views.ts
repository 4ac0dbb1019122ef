/** Drives the saved views of a list: a query or filters with a name. */
import type { Page } from '@playwright/test'

export function savedViews(page: Page) {
  /** The menu’s button, which has the name of the open view. */
  const menu = (name = 'Views') => page.getByRole('button', { name: `${name} ▾` })
  const view = (name: string) =>
    page.getByRole('menuitemcheckbox', { name: new RegExp(`^${name}`) })
  return {
    menu,
    view,
    nameField: page.getByRole('textbox', { name: 'Name' }),
    save: async () => {
      await menu().click()
      await page.getByRole('menuitem', { name: /^Save this (view|query)…$/ }).click()
    },
    open: async (name: string) => {
      await menu().click()
      await view(name).click()
    },
    remove: async (name: string) => {
      await menu(name).click()
      await page.getByRole('menuitem', { name: `Remove “${name}”` }).click()
    },
    /** The button in the view's own message, because another message may offer to undo another action. */
    undoRemoval: async (name: string) => {
      const removed = page.getByRole('dialog', { name: `“${name}” removed` })
      await removed.getByRole('button', { name: 'Undo' }).click()
    },
    showAll: async (name: string) => {
      await menu(name).click()
      await view('All').click()
    },
  }
}
