import type { Settings } from '../../../src-preload/contract/settings.ts'
import { useData } from '../../app/bridge.ts'
import { chooseTheme, themes } from '../../app/theme.ts'
import { KeyValues } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { RadioList } from '../../ui/form.tsx'
import { SettingsSection } from './section.tsx'

export function AppearanceSection({ settings }: { settings: Settings['appearance'] }) {
  return (
    <SettingsSection id="appearance">
      <RadioList
        label="Theme"
        value={settings.theme}
        options={themes}
        onChange={(theme) => void chooseTheme(theme)}
      />
    </SettingsSection>
  )
}

const hosts = { electron: 'desktop app', browser: 'browser mode', cli: 'command line' } as const

export function AboutSection() {
  return (
    <SettingsSection id="about">
      <Loaded query={useData('app.info')} of="the versions" rows={3}>
        {({ version, host, platform, node, electron, sqlite, processId }) => (
          <KeyValues
            pairs={[
              ['Tondesk', `${version}, ${hosts[host]}`],
              ['System', platform],
              ['Node.js', node],
              ['Electron', electron ?? null],
              ['SQLite', sqlite],
              ['Process ID', String(processId)],
            ]}
          />
        )}
      </Loaded>
    </SettingsSection>
  )
}
