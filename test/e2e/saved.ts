import { readFileSync } from 'node:fs'
import type { Tondesk } from './fixture.ts'

/** What is saved by what `act` presses. */
export async function saved({ host, page }: Tondesk, act: () => Promise<void>): Promise<string> {
  if (host === 'browser') {
    const [file] = await Promise.all([page.waitForEvent('download'), act()])
    return readFileSync(await file.path(), 'utf8')
  }
  // There a dialog, or another process, has the file: it is taken as it leaves the page.
  await page.evaluate(() => {
    const text = new Promise<string>((resolve) => {
      const make = URL.createObjectURL.bind(URL)
      HTMLAnchorElement.prototype.click = () => undefined
      URL.createObjectURL = (made: Blob) => {
        void made.text().then(resolve)
        return make(made)
      }
    })
    Object.assign(window, { savedText: text })
  })
  await act()
  return page.evaluate(() => (window as unknown as { savedText: Promise<string> }).savedText)
}
