/** Drives the export of captures to a file, and the import from a file. */
import type { Page } from '@playwright/test'

export function captureExport(page: Page) {
  const dialog = page.getByRole('dialog', { name: 'Export captures' })
  return {
    text: { warning: 'Anyone who has a file with these secrets' },
    status: dialog.getByRole('status').first(),
    withTokens: dialog.getByRole('checkbox', { name: /^Include secrets/ }),
    chooseJsonLines: () => dialog.getByRole('button', { name: 'JSON Lines' }).click(),
    dragHandle: dialog.getByText('Drag the file', { exact: true }),
    exportFile: () => dialog.getByRole('button', { name: 'Export' }).click(),
  }
}

export function captureImport(page: Page) {
  const dialog = page.getByRole('dialog', { name: 'Import captures' })
  return {
    text: {
      noJson: (line: number) => `Line ${line}: it is not JSON.`,
      noRequest: (file: string) =>
        `“${file}” contains no request that can be imported: its list of requests is empty or missing.`,
    },
    failure: dialog.getByRole('alert'),
    imported: (count: number, file: string) =>
      dialog.getByText(`${count} ${count === 1 ? 'capture' : 'captures'} imported from “${file}”`),
    problems: dialog.getByRole('listitem'),
    /** The list’s count with imported captures. */
    countOfImported: (count: number) =>
      page.getByText(`${count} captures, ${count} created by you`),
    /** The confirmation for a file that was opened outside the window. */
    question: (name: string) => dialog.getByText(`Import the captures of “${name}”`),
    confirm: () => dialog.getByRole('button', { name: 'Import', exact: true }).click(),
    cancel: () => dialog.getByRole('button', { name: 'Cancel' }).click(),
    choose: () => dialog.getByRole('button', { name: 'Choose a file…' }).click(),
    show: async () => {
      await page.getByRole('button', { name: 'More actions', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Import…' }).click()
    },
    chooseFile: (name: string, bytes: Buffer) =>
      dialog
        .locator('input[type=file]')
        .setInputFiles({ name, mimeType: 'application/json', buffer: bytes }),
    showImported: () => dialog.getByRole('button', { name: 'Show imported captures' }).click(),
  }
}
