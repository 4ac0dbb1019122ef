import type { Settings } from '../../../src-preload/contract/settings.ts'
import { put, request, useData } from '../../app/bridge.ts'
import { SavedChoice, SavedSwitch, SettingsSection, saverOf } from '../../components/settings.tsx'
import { Text } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'

const save = saverOf('desktop')

const closeChoices = [
  { value: 'ask', label: 'Ask the next time' },
  { value: 'keep', label: 'Keep receiving' },
  { value: 'quit', label: 'Quit Tondesk' },
] as const

async function saveStartAtLogin(isOn: boolean): Promise<void> {
  put('desktop.state', undefined, await request('desktop.setStartAtLogin', { isOn }))
}

export function DesktopSection({ settings: { desktop } }: { settings: Settings }) {
  const query = useData('desktop.state')
  return (
    <SettingsSection
      id="desktop"
      detail="How the installed app starts, and what it does without its window."
    >
      <Loaded query={query} of="the state of the desktop app" rows={2}>
        {(state) =>
          state === null ? (
            <Text as="p">
              You use Tondesk in a browser, where these settings have no effect. Tondesk receives
              webhooks until you stop the command that started it, with or without this page.
            </Text>
          ) : (
            <>
              <SavedChoice
                label="When the window is closed"
                value={desktop.closeWindow}
                options={closeChoices}
                inForce={
                  state.hasTray
                    ? null
                    : 'This desktop shows no tray icons. To keep receiving, Tondesk minimizes its window instead of closing it.'
                }
                save={(value) => save('closeWindow', value)}
              />
              <SavedSwitch
                label="Start Tondesk at login"
                hint="Tondesk starts without its window and receives webhooks."
                inForce={state.problem}
                value={state.startsAtLogin}
                save={saveStartAtLogin}
              />
            </>
          )
        }
      </Loaded>
    </SettingsSection>
  )
}
