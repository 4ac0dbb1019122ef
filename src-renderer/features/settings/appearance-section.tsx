import type { Settings } from '../../../src-preload/contract/settings.ts'
import { chooseTheme, themes } from '../../app/theme.ts'
import { SavedChoice, SettingsSection, saverOf } from '../../components/settings.tsx'
import { RadioList } from '../../ui/form.tsx'

const coinNames: readonly { value: Settings['appearance']['coinName']; label: string }[] = [
  { value: 'network', label: 'Coin name used by the network' },
  { value: 'GRAM', label: 'GRAM' },
  { value: 'TON', label: 'TON' },
]

const save = saverOf('appearance')

export function AppearanceSection({ settings: { appearance } }: { settings: Settings }) {
  return (
    <SettingsSection id="appearance">
      <RadioList
        label="Theme"
        value={appearance.theme}
        options={themes}
        onChange={(theme) => void chooseTheme(theme)}
      />
      <SavedChoice
        label="Coin name"
        value={appearance.coinName}
        options={coinNames}
        save={(coinName) => save('coinName', coinName)}
      />
    </SettingsSection>
  )
}
