/** Serves a page with one scene of `scenes/`, which shows parts of the window without the app. */
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { test as base, expect } from '../e2e/fixture.ts'
import { watchPage } from '../e2e/hosts/host.ts'
import type { SceneName } from './scenes/main.tsx'

export { expect }

export const bundleFolder = join(import.meta.dirname, '..', '..', 'test-results', 'components')

const html = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8" /><title>Scene</title><link rel="stylesheet" href="/style.css" /></head>
  <body><div id="root"></div><script type="module" src="/main.js"></script></body>
</html>`

const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' }

export type Scene = {
  /** Shows a scene, in the variant that its search parameters choose. */
  readonly show: (name: SceneName, options?: Readonly<Record<string, string>>) => Promise<Page>
  /** Presses a button of the scene's controls without moving the focus to it. */
  readonly control: (name: string) => Promise<void>
  /** The lines that the scene reports, such as the rows that were opened. */
  readonly report: () => Locator
}

export const test = base.extend<{ scene: Scene }>({
  page: async ({ sharedBrowser }, use) => {
    const { browser } = await sharedBrowser()
    const context = await browser.newContext({ viewport: { width: 1000, height: 700 } })
    await use(await context.newPage())
    await context.close()
  },
  scene: async ({ page }, use) => {
    const problems: string[] = []
    watchPage(page, (text) => problems.push(text))
    await page.route('http://scene.test/**', async (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/favicon.ico') await route.fulfill({ status: 204 })
      else if (pathname === '/') await route.fulfill({ contentType: 'text/html', body: html })
      else {
        const body = await readFile(join(bundleFolder, pathname))
        await route.fulfill({ contentType: types[extname(pathname)] ?? 'font/woff2', body })
      }
    })
    await use({
      async show(name, options = {}) {
        const query = new URLSearchParams({ scene: name, ...options })
        await page.goto(`http://scene.test/?${query.toString()}`)
        await page.getByRole('main').waitFor()
        return page
      },
      // The buttons also work below an open dialog, which hides them from roles.
      control: (name) =>
        page.locator('footer button', { hasText: new RegExp(`^${name}$`) }).dispatchEvent('click'),
      report: () => page.getByTestId('report').locator('li'),
    })
    expect(problems, 'console errors and uncaught errors').toEqual([])
  },
})
