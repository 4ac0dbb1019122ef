import type { Settings } from '../../../src-preload/contract/settings.ts'
import { formatNumber } from '../../ui/format.ts'
import { TextField } from '../../ui/text-field.tsx'
import { type BytesDraft, BytesField } from './bytes-field.tsx'
import { joinBytes, readWhole, splitBytes } from '../../app/form-values.ts'
import { SectionForm } from './section-form.tsx'
import { Section } from './section.tsx'
import { useDraft } from './use-draft.ts'
import { useSave } from './use-save.ts'
import styles from './section.module.css'

type RetentionSettings = Settings['retention']
type Draft = { age: string; count: string; size: BytesDraft }

export function RetentionSection({ settings }: { settings: RetentionSettings }) {
  const save = useSave()
  const { draft, change, clear, form } = useDraft<Draft>(save)
  const age = draft.age ?? (settings.maxAgeDays === null ? '' : String(settings.maxAgeDays))
  const count = draft.count ?? formatNumber(settings.maxCount)
  const size = draft.size ?? splitBytes(settings.maxBytes)

  const submit = async () => {
    const days = age.trim() === '' ? null : (readWhole(age) ?? undefined)
    const maxCount = readWhole(count)
    const maxBytes = joinBytes(size.amount, size.unit)
    if (days === undefined || maxCount === null || maxBytes === null) {
      save.refuse({
        ...(days === undefined && {
          'retention.maxAgeDays': 'Type a number of days, or leave it empty.',
        }),
        ...(maxCount === null && { 'retention.maxCount': 'Type a whole number.' }),
        ...(maxBytes === null && { 'retention.maxBytes': 'Type a number, such as 2 or 0.5.' }),
      })
      return
    }
    const next: RetentionSettings = { maxAgeDays: days, maxCount, maxBytes }
    if (await save.save('Retention', { retention: next }, { retention: settings })) clear()
  }

  return (
    <Section
      id="retention"
      detail="The oldest captures are deleted when any of these limits is reached. Pinned captures always stay."
    >
      <SectionForm {...form} onSubmit={() => void submit()}>
        <div className={styles['small']}>
          <TextField
            label="Keep for"
            suffix="days"
            placeholder="any time"
            hint="Left empty, captures of any age are kept."
            inputMode="numeric"
            value={age}
            error={save.errors['retention.maxAgeDays']}
            onChange={(next) => change({ age: next })}
          />
        </div>
        <div className={styles['small']}>
          <TextField
            label="Keep at most"
            suffix="captures"
            hint={`From 100 to ${formatNumber(10_000_000)}.`}
            inputMode="numeric"
            value={count}
            error={save.errors['retention.maxCount']}
            onChange={(next) => change({ count: next })}
          />
        </div>
        <div className={styles['small']}>
          <BytesField
            label="Use at most"
            hint="The database and its search index together; at least 64 MiB."
            value={size}
            error={save.errors['retention.maxBytes']}
            onChange={(next) => change({ size: next })}
          />
        </div>
      </SectionForm>
    </Section>
  )
}
