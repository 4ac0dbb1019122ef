import { expect, test } from '../fixture.ts'
import { mainProcess } from './main-process.ts'

test('a click on the dock icon restores the minimized window instead of opening another', async ({
  tondesk,
}) => {
  const main = mainProcess(tondesk)
  await main.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize())
  const minimized = () =>
    main.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => window.isMinimized()),
    )
  await expect.poll(minimized).toEqual([true])
  await main.evaluate(({ app }) => {
    app.emit('activate')
  })
  await expect.poll(minimized).toEqual([false])
})
