import { coinName } from '../../../src-preload/domain/amount.ts'
import type { Settings } from '../../../src-preload/contract/settings.ts'
import { chooseTheme, themes } from '../../app/theme.ts'
import { SavedChoice, SettingsSection, saverOf } from '../../components/settings.tsx'
import { RadioList } from '../../ui/form.tsx'
import { Columns } from '../../ui/layout.tsx'

type Appearance = Settings['appearance']

type Choice<N extends keyof Appearance> = readonly { value: Appearance[N]; label: string }[]

const coinNames: Choice<'coinName'> = [
  { value: 'network', label: 'Coin name used by the network' },
  { value: 'GRAM', label: 'GRAM' },
  { value: 'TON', label: 'TON' },
]

const densities: Choice<'density'> = [
  { value: 'comfortable', label: 'Comfortable' },
  { value: 'compact', label: 'Compact: more rows in lists' },
]

const times: Choice<'time'> = [
  { value: 'relative', label: 'Relative within a day: 12 min ago' },
  { value: 'absolute', label: 'Absolute: today 14:32' },
]

const timeZones: Choice<'timeZone'> = [
  { value: 'local', label: 'Time zone of this computer' },
  { value: 'utc', label: 'UTC' },
]

const clocks: Choice<'clock'> = [
  { value: '24h', label: '24 hours: 14:32' },
  { value: '12h', label: '12 hours: 2:32 pm' },
]

const numbers: Choice<'numbers'> = [
  { value: 'space-point', label: '1\u202f234\u202f567.89' },
  { value: 'comma-point', label: '1,234,567.89' },
  { value: 'point-comma', label: '1.234.567,89' },
  { value: 'space-comma', label: '1\u202f234\u202f567,89' },
  { value: 'none-point', label: '1234567.89' },
]

const save = saverOf('appearance')

export function AppearanceSection({ settings: { appearance } }: { settings: Settings }) {
  const choiceOf = <N extends keyof Appearance>(name: N) => ({
    value: appearance[name],
    save: (value: Appearance[N]) => save(name, value),
  })
  return (
    <SettingsSection
      id="appearance"
      detail="These settings change how the window shows values. Exports, the command line and the fields in which you type keep their own formats."
    >
      <Columns least={240} gap="xl">
        <RadioList
          label="Theme"
          value={appearance.theme}
          options={themes}
          onChange={(theme) => void chooseTheme(theme)}
        />
        <SavedChoice label="Density" options={densities} {...choiceOf('density')} />
        <SavedChoice label="Times in lists" options={times} {...choiceOf('time')} />
        <SavedChoice label="Time zone" options={timeZones} {...choiceOf('timeZone')} />
        <SavedChoice label="Clock" options={clocks} {...choiceOf('clock')} />
        <SavedChoice label="Numbers" options={numbers} {...choiceOf('numbers')} />
        <SavedChoice
          label="Coin name"
          options={coinNames}
          inForce={
            appearance.coinName === 'network'
              ? `Shown now for the selected network: ${coinName()}.`
              : null
          }
          {...choiceOf('coinName')}
        />
      </Columns>
    </SettingsSection>
  )
}
