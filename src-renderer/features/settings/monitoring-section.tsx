import type { Settings } from '../../../src-preload/contract/settings.ts'
import { readWhole } from '../../app/form-values.ts'
import { useResource, valueOf } from '../../app/resource.ts'
import { classes } from '../../ui/classes.ts'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { appInfo } from '../../app/app-info.ts'
import { SectionForm } from './section-form.tsx'
import { Section } from './section.tsx'
import { useDraft } from './use-draft.ts'
import { useSave } from './use-save.ts'
import styles from './section.module.css'

type MonitoringSettings = Settings['monitoring']
type Draft = Omit<
  MonitoringSettings,
  'everySeconds' | 'failedAttempts' | 'lagMinutes' | 'quietHours'
> & {
  everySeconds: string
  failedAttempts: string
  lagMinutes: string
  quiet: boolean
  quietFrom: string
  quietTo: string
}

/** As it stands in the fields. */
function draftOf(settings: MonitoringSettings): Draft {
  const { quietHours, everySeconds, failedAttempts, lagMinutes, ...switches } = settings
  return {
    ...switches,
    everySeconds: String(everySeconds),
    failedAttempts: String(failedAttempts),
    lagMinutes: String(lagMinutes),
    quiet: quietHours !== null,
    quietFrom: quietHours?.from ?? '22:00',
    quietTo: quietHours?.to ?? '08:00',
  }
}

const time = /^\d\d:\d\d$/

export function MonitoringSection({ settings }: { settings: MonitoringSettings }) {
  const save = useSave()
  const { draft, change, clear, form } = useDraft<Draft>(save)
  const shown = { ...draftOf(settings), ...draft }

  const submit = async () => {
    const { quiet, quietFrom, quietTo, ...rest } = shown
    const everySeconds = readWhole(rest.everySeconds)
    const failedAttempts = readWhole(rest.failedAttempts)
    const lagMinutes = readWhole(rest.lagMinutes)
    const isQuietWrong = quiet && !(time.test(quietFrom) && time.test(quietTo))
    if (everySeconds === null || failedAttempts === null || lagMinutes === null || isQuietWrong) {
      save.refuse({
        ...(everySeconds === null && { 'monitoring.everySeconds': 'Type a number of seconds.' }),
        ...(failedAttempts === null && { 'monitoring.failedAttempts': 'Type a whole number.' }),
        ...(lagMinutes === null && { 'monitoring.lagMinutes': 'Type a number of minutes.' }),
        ...(isQuietWrong && { 'monitoring.quietHours': 'Say from when to when.' }),
      })
      return
    }
    const next: MonitoringSettings = {
      ...rest,
      everySeconds,
      failedAttempts,
      lagMinutes,
      quietHours: quiet ? { from: quietFrom, to: quietTo } : null,
    }
    const done = await save.save(
      'Webhooks and notices',
      { monitoring: next },
      { monitoring: settings },
    )
    if (done) clear()
  }

  return (
    <Section
      id="monitoring"
      detail="The gateway keeps failures as bare counters. Reading them again and again makes them history: what failed, since when, how often, and when it was well again."
    >
      <SectionForm {...form} onSubmit={() => void submit()}>
        <Switch
          label="Read the counters of webhooks and subscriptions"
          hint="Within the gateway’s rate limit, large sets part by part. Switched off, there is no history and nothing is told."
          checked={shown.sample}
          onChange={(sample) => change({ sample })}
        />
        <div className={styles['under']}>
          <TextField
            label="Every"
            suffix="seconds"
            hint="From 10 seconds to an hour."
            inputMode="numeric"
            value={shown.everySeconds}
            error={save.errors['monitoring.everySeconds']}
            onChange={(everySeconds) => change({ everySeconds })}
          />
        </div>
        <Switch
          label="Tell when an account’s deliveries begin to fail"
          checked={shown.failing}
          onChange={(failing) => change({ failing })}
        />
        {shown.failing && (
          <div className={styles['under']}>
            <TextField
              label="Once it has failed"
              suffix="times"
              hint="1 tells at the first failed attempt."
              inputMode="numeric"
              value={shown.failedAttempts}
              error={save.errors['monitoring.failedAttempts']}
              onChange={(failedAttempts) => change({ failedAttempts })}
            />
          </div>
        )}
        <Switch
          label="Tell when a webhook goes offline or is suspended"
          checked={shown.offline}
          onChange={(offline) => change({ offline })}
        />
        <Switch
          label="Tell when deliveries lag behind the chain"
          hint="Read for accounts that fail and those that are watched."
          checked={shown.lagging}
          onChange={(lagging) => change({ lagging })}
        />
        {shown.lagging && (
          <div className={styles['under']}>
            <TextField
              label="Once they lag by"
              suffix="minutes"
              hint="From a minute to a week (10 080)."
              inputMode="numeric"
              value={shown.lagMinutes}
              error={save.errors['monitoring.lagMinutes']}
              onChange={(lagMinutes) => change({ lagMinutes })}
            />
          </div>
        )}
        <Switch
          label="Tell when it is well again"
          checked={shown.recovery}
          onChange={(recovery) => change({ recovery })}
        />
        <Native checked={shown.native} onChange={(native) => change({ native })} />
        <Switch
          label="Quiet hours"
          hint="Meanwhile the system shows nothing. Notices in the app are kept as always."
          checked={shown.quiet}
          onChange={(quiet) => change({ quiet })}
        />
        {shown.quiet && (
          <div className={classes(styles['under'], styles['line'])}>
            <TextField
              label="From"
              type="time"
              value={shown.quietFrom}
              error={save.errors['monitoring.quietHours']}
              onChange={(quietFrom) => change({ quietFrom })}
            />
            <TextField
              label="To"
              type="time"
              value={shown.quietTo}
              onChange={(quietTo) => change({ quietTo })}
            />
          </div>
        )}
      </SectionForm>
    </Section>
  )
}

/** Only the desktop app has the system's notifications. */
function Native({ checked, onChange }: { checked: boolean; onChange: (checked: boolean) => void }) {
  const host = valueOf(useResource(appInfo))?.host
  const hint =
    host === undefined || host === 'electron'
      ? 'So that it is seen while the window is closed. A press on one opens the webhook.'
      : 'You use Tondesk in a browser, where there are none: this takes effect in the desktop app only. Here, notices stand in the bar at the top.'
  return (
    <Switch
      label="Also as notifications of the system"
      hint={hint}
      checked={checked}
      onChange={onChange}
    />
  )
}
