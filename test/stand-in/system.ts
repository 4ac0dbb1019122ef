/** Plays the system around the app: theme, screen, shell, clipboard and menu. */
import { EventEmitter } from 'node:events'
import type {
  Clipboard,
  Display,
  Menu as ElectronMenu,
  MenuItemConstructorOptions,
  NativeTheme,
  Screen,
  Shell,
} from 'electron'
import { recordedActions } from './report.ts'

class StandInTheme
  extends EventEmitter
  implements Pick<NativeTheme, 'themeSource' | 'shouldUseDarkColors'>
{
  #source: NativeTheme['themeSource'] = 'system'
  readonly #isSystemDark = process.env['STAND_IN_DARK'] === '1'

  get themeSource(): NativeTheme['themeSource'] {
    return this.#source
  }

  set themeSource(source: NativeTheme['themeSource']) {
    this.#source = source
    this.emit('updated')
  }

  get shouldUseDarkColors(): boolean {
    return this.#source === 'system' ? this.#isSystemDark : this.#source === 'dark'
  }
}

export const nativeTheme = new StandInTheme()

/** The variable `STAND_IN_DISPLAY=1024x768` sets another size than the default. */
function workArea() {
  const [width = 1920, height = 1040] = (process.env['STAND_IN_DISPLAY'] ?? '')
    .split('x')
    .map(Number)
    .filter((length) => length > 0)
  return { x: 0, y: 0, width, height }
}

class StandInScreen extends EventEmitter implements Pick<Screen, 'getAllDisplays'> {
  getAllDisplays(): Display[] {
    const display: Pick<Display, 'id' | 'workArea' | 'bounds' | 'scaleFactor'> = {
      id: 1,
      workArea: workArea(),
      bounds: workArea(),
      scaleFactor: 1,
    }
    return [display as Display]
  }
}

export const screen = new StandInScreen()

export const shell = {
  openExternal(url) {
    recordedActions.opened.push(url)
    return Promise.resolve()
  },
  openPath(path) {
    recordedActions.opened.push(path)
    return Promise.resolve('')
  },
} satisfies Pick<Shell, 'openExternal' | 'openPath'>

export const clipboard = {
  writeText(text) {
    recordedActions.written = text
    return Promise.resolve()
  },
} satisfies Pick<Clipboard, 'writeText'>

class StandInMenu {
  readonly template: readonly MenuItemConstructorOptions[]

  constructor(template: readonly MenuItemConstructorOptions[]) {
    this.template = template
  }
}

export const Menu = {
  buildFromTemplate: (template: MenuItemConstructorOptions[]) =>
    // The menu is only passed to `setApplicationMenu`, which uses its class.
    new StandInMenu(template) as unknown as ElectronMenu,
  setApplicationMenu(menu: ElectronMenu | null) {
    if (menu instanceof StandInMenu) recordedActions.setMenu(menu.template)
  },
} satisfies Pick<typeof ElectronMenu, 'buildFromTemplate' | 'setApplicationMenu'>
