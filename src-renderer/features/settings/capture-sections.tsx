/** The sections on how captures are explained, and on how long they are kept. */
import type { Settings } from '../../../src-preload/contract/settings.ts'
import { useData } from '../../app/bridge.ts'
import { readBytes, parseInteger, writeBytes } from '../../app/use-form.ts'
import {
  SavedNumber,
  SavedSwitch,
  SavedText,
  SettingsSection,
  saverOf,
  valid,
} from '../../components/settings.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { Hint } from '../../ui/layout.tsx'

const saveInspector = saverOf('inspector')

export function InspectorSection({ settings: { inspector } }: { settings: Settings }) {
  return (
    <SettingsSection
      id="inspector"
      detail="Tondesk explains captures with data from the chain. Explanations are stored on this computer and are available offline."
    >
      <SavedSwitch
        label="Load the transactions of captures from the gateway"
        hint="Each capture needs one or two requests, with the lowest priority and within the rate limit of your API key. If this is off, Tondesk loads a transaction when you open its capture. Sandbox transactions are always loaded."
        value={inspector.meaning}
        save={(explanation) => saveInspector('meaning', explanation)}
      />
    </SettingsSection>
  )
}

const saveRetention = saverOf('retention')

type Limit = keyof Settings['retention']

/** Saves a limit. A lower limit deletes captures at once, so the user confirms it first. */
async function saveLimit<K extends Limit>(
  name: K,
  value: Settings['retention'][K],
  before: Settings['retention'][K],
  limit: string,
): Promise<unknown> {
  const isLower = value !== null && (before === null || value < before)
  const isAgreed =
    !isLower ||
    (await confirm({
      title: `Limit captures to ${limit}?`,
      detail:
        'Tondesk deletes the oldest captures that exceed this limit, and keeps to it from now on. Pinned captures are kept.',
      action: 'Set limit',
      destructive: true,
    }))
  return isAgreed && saveRetention(name, value)
}

export function RetentionSection({ settings: { retention } }: { settings: Settings }) {
  const { maxAgeDays, maxCount, maxBytes } = retention
  const total = useData('capture.counts').data?.total
  return (
    <SettingsSection
      id="retention"
      detail="The oldest captures are deleted when one of these limits is reached. Pinned captures are never deleted."
    >
      {total !== undefined && <Hint>Stored now: {formatCount(total, 'capture')}.</Hint>}
      <SavedText
        label="Maximum age"
        short
        suffix="days"
        placeholder="No limit"
        hint="Leave this empty to keep captures of any age."
        value={maxAgeDays === null ? '' : String(maxAgeDays)}
        save={(text) => {
          const days =
            text.trim() === ''
              ? null
              : valid(parseInteger(text), 'Enter a number of days, or leave the field empty.')
          return saveLimit('maxAgeDays', days, maxAgeDays, formatCount(days ?? 0, 'day'))
        }}
      />
      <SavedNumber
        label="Maximum number of captures"
        suffix="captures"
        hint={`Between 100 and ${formatNumber(10_000_000)}.`}
        value={maxCount}
        save={(count) => saveLimit('maxCount', count, maxCount, formatNumber(count))}
      />
      <SavedText
        label="Maximum size"
        short
        inputMode="text"
        hint="A number with its unit: KiB, MiB or GiB. The size includes the database and its search index. The minimum is 64 MiB."
        value={writeBytes(maxBytes)}
        save={(text) => {
          const bytes = valid(readBytes(text), 'Enter a size with its unit, such as 2 GiB.')
          return saveLimit('maxBytes', bytes, maxBytes, writeBytes(bytes))
        }}
      />
    </SettingsSection>
  )
}
