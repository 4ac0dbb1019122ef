/** Starting the app at login, without its window: login items on Windows and macOS, an XDG autostart file on Linux. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { app } from 'electron'
import type { DesktopState } from '../../src-preload/contract/desktop.ts'
import { AppError, messageOf } from '../../src-preload/domain/app-error.ts'
import { desktopCodes } from '../../src-preload/domain/error-codes.ts'

type LoginState = Pick<DesktopState, 'startsAtLogin' | 'problem'>

type StartAtLogin = {
  readonly state: () => Promise<LoginState>
  /** @throws AppError START_AT_LOGIN_REFUSED */
  readonly set: (isOn: boolean) => Promise<void>
}

/** @param args the arguments that select the data, without which the app would start with other data */
export function createStartAtLogin(
  args: readonly string[],
  platform: NodeJS.Platform = process.platform,
): StartAtLogin {
  const launch = launchOf(args)
  const system = platform === 'linux' ? byAutostartFile(launch) : byLoginItem(launch, platform)
  return {
    state: system.state,
    async set(isOn) {
      try {
        await system.set(isOn)
      } catch (error) {
        throw refused(isOn, messageOf(error), error)
      }
      const { startsAtLogin, problem } = await system.state()
      if (startsAtLogin !== isOn && problem === null) {
        throw refused(isOn, 'The system did not accept the change.')
      }
    },
  }
}

function refused(isOn: boolean, why: string, cause?: unknown): AppError {
  const message = `Start at login could not be turned ${isOn ? 'on' : 'off'}. ${why}`
  return new AppError(desktopCodes.startAtLogin, message, { cause })
}

type Launch = { readonly program: string; readonly args: readonly string[] }

/**
 * The command by which the system starts this app. It names the installed file, not the temporary
 * folder to which a run unpacks it.
 */
export function launchOf(args: readonly string[]): Launch {
  const { APPIMAGE, PORTABLE_EXECUTABLE_FILE } = process.env
  return {
    program: APPIMAGE ?? PORTABLE_EXECUTABLE_FILE ?? process.execPath,
    args: [...(app.isPackaged ? [] : [app.getAppPath()]), ...args],
  }
}

const hidden = '--no-open'

function byLoginItem({ program, args }: Launch, platform: NodeJS.Platform): StartAtLogin {
  const isWindows = platform === 'win32'
  // macOS passes no arguments; there, the app queries the system whether it was opened at login.
  const item = isWindows ? { path: program, args: [...args, hidden].map(quoteForWindows) } : {}
  return {
    state() {
      const { openAtLogin, executableWillLaunchAtLogin, status } = app.getLoginItemSettings(item)
      const isOff = isWindows ? openAtLogin && !executableWillLaunchAtLogin : false
      const problem = isOff
        ? 'Windows keeps Tondesk from starting. Turn Tondesk on in the Task Manager, under Startup apps.'
        : status === 'requires-approval'
          ? 'macOS asks for your approval. Turn Tondesk on in System Settings, under General > Login Items.'
          : null
      return Promise.resolve({ startsAtLogin: openAtLogin && problem === null, problem })
    },
    set(isOn) {
      app.setLoginItemSettings({ ...item, openAtLogin: isOn })
      return Promise.resolve()
    },
  }
}

/**
 * Quotes like the C runtime, which splits a command line at unquoted spaces: backslashes before a
 * quote are doubled.
 */
export function quoteForWindows(arg: string): string {
  if (/^[\w./:=\\-]+$/.test(arg) && !arg.endsWith('\\')) return arg
  return `"${arg.replaceAll(/(\\*)("|$)/g, (_, slashes: string, quote: string) => `${slashes}${slashes}${quote === '"' ? '\\"' : ''}`)}"`
}

/** Equals the name of the menu entry, which desktops use to recognize the app. */
const desktopFile = 'org.tondesk.Tondesk.desktop'

function byAutostartFile({ program, args }: Launch): StartAtLogin {
  function path(): string {
    const { XDG_CONFIG_HOME: config = '' } = process.env
    return join(config === '' ? join(homedir(), '.config') : config, 'autostart', desktopFile)
  }
  const command = [program, ...args, hidden]
  return {
    async state() {
      const text = await readFile(path(), 'utf8').catch(() => '')
      return { startsAtLogin: text !== '' && isAutostarted(text, command), problem: null }
    },
    async set(isOn) {
      if (!isOn) {
        await rm(path(), { force: true })
        return
      }
      const entry = autostartEntry(command)
      await mkdir(dirname(path()), { recursive: true, mode: 0o700 })
      await writeFile(path(), entry)
    },
  }
}

/** The text of an autostart file. @throws Error for a path that such a file cannot hold */
export const autostartEntry = (command: readonly string[]): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Tondesk',
    'Comment=Receive webhooks in the background',
    `Exec=${command.map(quoteForExec).join(' ')}`,
    'Icon=org.tondesk.Tondesk',
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')

/** True if the file starts this command at login. Settings programs disable autostart inside the file. */
export function isAutostarted(text: string, command: readonly string[]): boolean {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/^(\w[\w-]*)\s*=\s*/, '$1='))
  return (
    lines.includes(`Exec=${command.map(quoteForExec).join(' ')}`) &&
    !lines.includes('Hidden=true') &&
    !lines.includes('X-GNOME-Autostart-enabled=false')
  )
}

/**
 * An argument in `Exec` of the Desktop Entry Specification: quoted, with `"`, `` ` ``, `$` and `\` escaped, `%`
 * doubled, and then the backslashes doubled as in every string of the file.
 */
function quoteForExec(arg: string): string {
  if (/\p{Cc}/u.test(arg)) {
    throw new Error(
      'The path of Tondesk contains a control character. Move Tondesk to another folder.',
    )
  }
  if (/^[\w@+./:=-]+$/.test(arg)) return arg
  const quoted = arg.replaceAll(/["`$\\]/g, String.raw`\$&`).replaceAll('%', '%%')
  return `"${quoted.replaceAll('\\', String.raw`\\`)}"`
}
