/**
 * Drives replays of captures: the dialog, the comparison of responses, and replays of several captures.
 */
import type { Page } from '@playwright/test'
import { captureDetail } from './capture-detail.ts'

/** The dialog that replays one capture, or several captures with their count. */
export function replayDialog(page: Page, of: { capture: number } | { count: number }) {
  const what = 'capture' in of ? `capture ${of.capture}` : `${of.count} captures`
  const dialog = page.getByRole('dialog', { name: `Replay ${what}` })
  const difference = dialog.getByRole('table', { name: 'Body' })
  return {
    dialog,
    target: dialog.getByRole('textbox', { name: 'Send to' }),
    body: dialog.getByRole('textbox', { name: 'Body' }),
    edit: () => dialog.getByRole('button', { name: 'Edited' }).click(),
    showDifference: () => dialog.getByRole('tab', { name: 'Changes' }).click(),
    changedLine: (line: string) => difference.getByRole('row', { name: changed(line) }),
    send: () => dialog.getByRole('button', { name: 'Replay', exact: true }).click(),
    requestsPerCapture: dialog.getByRole('textbox', { name: 'Requests per capture' }),
    sendRequests: (count: number) =>
      dialog.getByRole('button', { name: `Replay ${count} requests` }).click(),
    /** The message after the response has arrived. */
    responded: (status: number) => page.getByText(new RegExp(`^${status} in`)).first(),
  }
}

/** A replay in the details of its capture, named by its number and its attempt. */
export function replayOfCapture(page: Page, name: string) {
  const replay = captureDetail(page).open.getByRole('region', { name: `Replay ${name}` })
  const comparison = page.getByRole('region', { name: 'Comparison' })
  return {
    replay,
    compareWith: async (other: string) => {
      await replay.getByRole('button', { name: /^Compare with/ }).click()
      await page.getByRole('menuitem', { name: new RegExp(`^Replay ${other}`) }).click()
    },
    changedLine: (line: string) => comparison.getByRole('row', { name: changed(line) }),
  }
}

/** The replay of several captures as a job. */
export function replayJob(page: Page, captures: number) {
  const name = new RegExp(`^Replay of ${captures} captures`)
  const job = page.getByRole('region', { name })
  return {
    text: { delivered: (count: number) => `${count} delivered` },
    job,
    open: async () => {
      await page.evaluate(() => (location.hash = '#/inspector/replays'))
      await page.getByRole('link', { name }).click()
    },
    showResponse: (number: number) =>
      job.getByRole('button', { name: `Response to request ${number}`, exact: true }).click(),
    responseBody: job.getByLabel('Response body').last(),
  }
}

const changed = (line: string) => new RegExp(`^Changed ${line}`)
