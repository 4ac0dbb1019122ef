import type { Settings } from '../../../src-preload/contract/settings.ts'
import { useData } from '../../app/bridge.ts'
import { chooseTheme, themes } from '../../app/theme.ts'
import { KeyValues } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { RadioList, Switch, TextField } from '../../ui/form.tsx'
import { SettingsSection, BytesField, SettingsForm, toggleOf, useSettingsForm } from './section.tsx'
import { joinBytes, readWhole, splitBytes } from '../../app/use-form.ts'
import { formatNumber } from '../../ui/format.ts'

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

export function InspectorSection({ settings }: { settings: Settings['inspector'] }) {
  const form = useSettingsForm('inspector', settings, settings, (values, save) => save(values))
  return (
    <SettingsSection
      id="inspector"
      detail="Tondesk explains captures with data from the chain. Explanations are stored on this computer and are available offline."
    >
      <SettingsForm form={form}>
        <Switch
          label="Load the transactions of captures from the gateway"
          hint="Takes one or two requests per capture, with the lowest priority and within the rate limit of your key. If off, a transaction is loaded when you open its capture. Transactions of the sandbox are always loaded."
          {...toggleOf(form, 'meaning')}
        />
      </SettingsForm>
    </SettingsSection>
  )
}

export function RetentionSection({ settings }: { settings: Settings['retention'] }) {
  const initial = {
    maxAgeDays: settings.maxAgeDays === null ? '' : String(settings.maxAgeDays),
    maxCount: formatNumber(settings.maxCount),
    maxBytes: splitBytes(settings.maxBytes),
  }
  const form = useSettingsForm('retention', settings, initial, (values, save) => {
    const age = values.maxAgeDays.trim()
    const maxAgeDays = age === '' ? null : (readWhole(age) ?? undefined)
    const maxCount = readWhole(values.maxCount)
    const maxBytes = joinBytes(values.maxBytes.amount, values.maxBytes.unit)
    if (maxAgeDays === undefined || maxCount === null || maxBytes === null) {
      return {
        ...(maxAgeDays === undefined && {
          maxAgeDays: 'Enter a number of days, or leave the field empty.',
        }),
        ...(maxCount === null && { maxCount: 'Enter a whole number.' }),
        ...(maxBytes === null && { maxBytes: 'Enter a number, such as 2 or 0.5.' }),
      }
    }
    return save({ maxAgeDays, maxCount, maxBytes })
  })
  return (
    <SettingsSection
      id="retention"
      detail="The oldest captures are deleted when one of these limits is reached. Pinned captures are never deleted."
    >
      <SettingsForm form={form}>
        <TextField
          label="Maximum age"
          short
          suffix="days"
          placeholder="no limit"
          hint="If empty, captures of any age are kept."
          inputMode="numeric"
          {...form.field('maxAgeDays')}
        />
        <TextField
          label="Maximum number"
          short
          suffix="captures"
          hint={`From 100 to ${formatNumber(10_000_000)}.`}
          inputMode="numeric"
          {...form.field('maxCount')}
        />
        <BytesField
          label="Maximum size"
          hint="The limit applies to the database together with its search index. At least 64 MiB."
          {...form.field('maxBytes')}
        />
      </SettingsForm>
    </SettingsSection>
  )
}
