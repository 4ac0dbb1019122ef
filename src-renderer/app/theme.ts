import type { Settings } from '../../src-preload/contract/settings.ts'
import { attempt, watchRoute, patchData, peek, reload } from './bridge.ts'
import { setDisplayFormat } from '../ui/format.ts'
import { showToast } from '../ui/toast.tsx'
import { changeSettings } from './app-settings.ts'

type Theme = Settings['appearance']['theme']

export const themes: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

const storageKey = 'tondesk.theme'

/** Applies the theme of the last run, then follows the settings. */
export function startTheme(): () => void {
  const remembered = window.localStorage.getItem(storageKey)
  if (remembered !== null) applyTheme(remembered)
  return watchRoute('settings.get', ({ appearance: { theme } }) => {
    applyTheme(theme)
    window.localStorage.setItem(storageKey, theme)
  })
}

/**
 * Sets how numbers and times are formatted, and how dense lists are. Called while rendering, so
 * that all components below use it.
 * @returns a text that differs for each combination
 */
export function applyDisplay(appearance: Settings['appearance'] | undefined): string {
  if (appearance === undefined) return ''
  const { density, time, timeZone, clock, numbers } = appearance
  document.documentElement.dataset['density'] = density
  setDisplayFormat({ time, timeZone, clock, numbers })
  return [density, time, timeZone, clock, numbers].join(' ')
}

function applyTheme(theme: string): void {
  document.documentElement.dataset['theme'] = theme
}

/** Applies the theme before it is saved, and offers to undo the change. */
export async function chooseTheme(theme: Theme, isUndo = false): Promise<void> {
  const before = peek('settings.get')?.appearance.theme
  if (before === undefined || before === theme) return
  patchData('settings.get', undefined, (known) => ({
    ...known,
    appearance: { ...known.appearance, theme },
  }))
  const done = await attempt('Could not change the theme', () =>
    changeSettings({ appearance: { theme } }),
  )
  if (done === undefined) {
    reload('settings.get')
    return
  }
  if (isUndo) return
  const label = themes.find((each) => each.value === theme)?.label ?? theme
  showToast({
    id: 'theme',
    title: `Theme: ${label.toLowerCase()}`,
    action: { label: 'Undo', run: () => void chooseTheme(before, true) },
  })
}
