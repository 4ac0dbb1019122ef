/** Tests behavior that only the real Electron shows. */
import type { ElectronApplication } from '@playwright/test'
import { type Tondesk, expect, test } from '../e2e/fixture.ts'
import { electronProblem } from './binary.ts'

const problem = electronProblem()
test.skip(problem !== null, problem ?? '')

function electronOf({ running }: Tondesk): ElectronApplication {
  if (!running.electron) throw new Error('This test is about Electron.')
  return running.electron
}

test('the app starts from app:// in a sandboxed page', async ({ tondesk }) => {
  const { page } = tondesk
  expect(page.url()).toMatch(/^app:\/\/tondesk\//)
  const found = await page.evaluate(() => ({
    origin: location.origin,
    secure: isSecureContext,
  }))
  expect(found).toEqual({
    origin: 'app://tondesk',
    secure: true,
  })
  const sandboxed = await electronOf(tondesk).evaluate(({ BrowserWindow, app }) => {
    const [first] = BrowserWindow.getAllWindows()
    const pid = first?.webContents.getOSProcessId()
    return app.getAppMetrics().find((metric) => metric.pid === pid)?.sandboxed
  })
  // Electron reports this on Windows and macOS only.
  if (process.platform !== 'linux') expect(sandboxed).toBe(true)
})
