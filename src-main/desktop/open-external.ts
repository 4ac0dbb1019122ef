/** The only file that hands an address to the system. */
import { dialog, shell } from 'electron'
import type { Log } from '../app/log.ts'
import { decideExternal, isBrowserModeUrl } from './external-link.ts'

export type OpenExternal = (address: string) => void

export function createOpenExternal(log: Log): OpenExternal {
  let isAsking = false

  async function open(address: string): Promise<void> {
    const { verdict, url } = decideExternal(address)
    if (verdict === 'refuse') {
      log.write('warn', 'An address was not opened outside the app.', {
        scheme: /^[a-z][\w+.-]{0,30}:/i.exec(address)?.[0],
      })
      return
    }
    if (verdict === 'ask') {
      // One question at a time: a page must not be able to stack them up.
      if (isAsking) return
      isAsking = true
      try {
        if (!(await confirm(url))) return
      } finally {
        isAsking = false
      }
    }
    await shell.openExternal(url)
  }

  return (address) => {
    open(address).catch((error: unknown) =>
      log.failure('An address could not be opened in the browser.', error),
    )
  }
}

/** Opens the page of a browser-mode Tondesk that holds the data directory. */
export async function openBrowserMode(address: string): Promise<void> {
  if (isBrowserModeUrl(address)) await shell.openExternal(address)
}

async function confirm(url: string): Promise<boolean> {
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message: 'Open this address in your browser?',
    detail: url,
    buttons: ['Cancel', 'Open'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  })
  return response === 1
}
