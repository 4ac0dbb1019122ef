import type { Settings } from '../../src-preload/contract/settings.ts'
import { attempt } from './attempt.ts'
import { showToast } from '../ui/toast.tsx'
import { appSettings, changeSettings } from './app-settings.ts'

type Theme = Settings['appearance']['theme']

export const themes: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

const storageKey = 'tondesk.theme'

/** Dresses the page as it was last time, then follows the settings. */
export function startTheme(): () => void {
  const remembered = window.localStorage.getItem(storageKey)
  if (remembered !== null) dress(remembered)
  return appSettings.store.subscribe((state) => {
    if (state.status !== 'ready') return
    const { theme } = state.value.appearance
    dress(theme)
    window.localStorage.setItem(storageKey, theme)
  })
}

function dress(theme: string): void {
  document.documentElement.dataset['theme'] = theme
}

/** Sets it, at once for the eye, and offers the way back. */
export async function chooseTheme(theme: Theme, isUndo = false): Promise<void> {
  const state = appSettings.store.getState()
  if (state.status !== 'ready') return
  const { value } = state
  const before = value.appearance.theme
  if (before === theme) return
  appSettings.set({ ...value, appearance: { ...value.appearance, theme } })
  const done = await attempt('Could not change the theme', () =>
    changeSettings({ appearance: { theme } }),
  )
  if (done === undefined) {
    void appSettings.reload()
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
