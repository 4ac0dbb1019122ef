/** The Electron app: arguments, one instance, then the app and its window. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, dialog } from 'electron'
import { enablesRemoteDebugging, parseDesktopArguments } from './desktop/arguments.ts'
import { registerAppScheme } from './desktop/app-protocol.ts'
import { chooseGraphics, mayStartAfterCrash, restartOnBug } from './desktop/faults.ts'
import { setIdentity } from './desktop/identity.ts'
import { noteLaunchNotification } from './desktop/notifications.ts'
import { explainStartProblem } from './desktop/start-problem.ts'
import { openDesktop } from './desktop/desktop.ts'
import { listenForHanded } from './desktop/links.ts'
import { keepYoungGenerationSmall } from './app/heap-settings.ts'
import { createLog } from './app/log.ts'
import { dataPaths, makePrivateDirectory, resolveDataDirectory } from './app/paths.ts'

function main(): void {
  keepYoungGenerationSmall()
  const args = process.argv.slice(1)
  if (app.isPackaged && enablesRemoteDebugging(args)) {
    process.stderr.write('Tondesk does not start with remote debugging.\n')
    app.exit(1)
    return
  }
  setIdentity()
  const { dataDirectory: flag, ...wishes } = parseDesktopArguments(args)
  const dataDirectory = resolveDataDirectory({
    flag,
    env: process.env,
    platform: process.platform,
    homedir: homedir(),
  })
  const userData = join(dataDirectory, 'electron')
  try {
    makePrivateDirectory(dataDirectory)
    makePrivateDirectory(userData)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const explained =
      `The data directory ${dataDirectory} cannot be used: ${why}\n\n` +
      'Check its permissions, or choose another directory with --data-dir.'
    dialog.showErrorBox('Tondesk cannot start', explained)
    app.exit(1)
    return
  }
  app.setPath('userData', userData)
  if (!app.requestSingleInstanceLock({ args })) {
    process.stdout.write(
      `Tondesk is already running${wishes.opensWindow ? '; its window is shown' : ''}.\n`,
    )
    app.exit(0)
    return
  }

  const log = createLog(dataPaths(dataDirectory).logs).scope('desktop')
  restartOnBug(log, dataDirectory)
  const handedOver = listenForHanded()
  app.enableSandbox()
  const graphics = chooseGraphics(userData, wishes.withGpu, log)
  noteLaunchNotification()
  registerAppScheme()
  app
    .whenReady()
    .then(async () => {
      if (wishes.afterCrash && !(await mayStartAfterCrash(dataDirectory, log))) {
        app.exit(1)
        return
      }
      await openDesktop({
        dataDirectory,
        ...wishes,
        graphics,
        args,
        rendererDirectory: fileURLToPath(new URL('../renderer', import.meta.url)),
        preload: fileURLToPath(new URL('../preload/preload.cjs', import.meta.url)),
        developmentUrl: process.env['ELECTRON_RENDERER_URL'],
        handedOver,
        log,
      })
    })
    .catch(async (error: unknown) => {
      log.failure('The app did not start.', error)
      await explainStartProblem(error, dataDirectory)
      app.exit(1)
    })
}

main()
