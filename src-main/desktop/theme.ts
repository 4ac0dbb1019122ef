import { nativeTheme } from 'electron'
import { z } from 'zod'
import { settings as settingsShape } from '../../src-preload/contract/settings.ts'
import type { Dispatch } from '../bridge/dispatch.ts'
import type { EventHub } from '../bridge/events.ts'

/** The system's own parts of the app, and `prefers-color-scheme`, follow the person's choice. */
export async function followTheme(dispatch: Dispatch, events: EventHub): Promise<() => void> {
  const stop = events.subscribe((messages) => {
    for (const message of messages) {
      if (message.name === 'settings.changed') {
        nativeTheme.themeSource = message.payload.appearance.theme
      }
    }
  })
  const answer = z
    .object({ ok: z.literal(true), data: settingsShape })
    .safeParse(await dispatch('settings.get', undefined))
  if (answer.success) nativeTheme.themeSource = answer.data.data.appearance.theme
  return stop
}
