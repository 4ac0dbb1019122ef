import type { Settings } from '../../../src-preload/contract/settings.ts'
import { readWhole } from '../../app/use-form.ts'
import { useData } from '../../app/bridge.ts'
import { Row } from '../../ui/layout.tsx'
import { Switch, TextField } from '../../ui/form.tsx'
import { SettingsForm, SettingsSection, toggleOf, useSettingsForm } from './section.tsx'

const time = /^\d\d:\d\d$/

export function MonitoringSection({ settings }: { settings: Settings['monitoring'] }) {
  const { quietHours, ...shown } = settings
  const initial = {
    ...shown,
    everySeconds: String(settings.everySeconds),
    failedAttempts: String(settings.failedAttempts),
    lagMinutes: String(settings.lagMinutes),
    isQuiet: quietHours !== null,
    from: quietHours?.from ?? '22:00',
    to: quietHours?.to ?? '08:00',
  }
  const form = useSettingsForm('monitoring', settings, initial, (values, save) => {
    const { isQuiet, from, to, ...rest } = values
    const everySeconds = readWhole(rest.everySeconds)
    const failedAttempts = readWhole(rest.failedAttempts)
    const lagMinutes = readWhole(rest.lagMinutes)
    const isQuietWrong = isQuiet && !(time.test(from) && time.test(to))
    if (everySeconds === null || failedAttempts === null || lagMinutes === null || isQuietWrong) {
      return {
        ...(everySeconds === null && { everySeconds: 'Enter a number of seconds.' }),
        ...(failedAttempts === null && { failedAttempts: 'Enter a whole number.' }),
        ...(lagMinutes === null && { lagMinutes: 'Enter a number of minutes.' }),
        ...(isQuietWrong && { from: 'Enter a start and an end time.' }),
      }
    }
    const next = isQuiet ? { from, to } : null
    return save({ ...rest, everySeconds, failedAttempts, lagMinutes, quietHours: next })
  })
  return (
    <SettingsSection
      id="monitoring"
      detail="The gateway counts failures without a history. Tondesk reads the counters regularly and records what failed, since when, how often, and when it recovered."
    >
      <SettingsForm form={form}>
        <Switch
          label="Read the counters of webhooks and subscriptions"
          hint="Stays within the rate limit of the gateway; many subscriptions are read in parts. If off, there is no history and there are no notices."
          {...toggleOf(form, 'sample')}
        />
        <TextField
          label="Interval"
          short
          suffix="seconds"
          hint="From 10 seconds to an hour."
          inputMode="numeric"
          {...form.field('everySeconds')}
        />
        <Switch label="Notify when an account’s deliveries fail" {...toggleOf(form, 'failing')}>
          <TextField
            label="After"
            short
            suffix="failed attempts"
            inputMode="numeric"
            {...form.field('failedAttempts')}
          />
        </Switch>
        <Switch
          label="Notify when a webhook goes offline or is suspended"
          {...toggleOf(form, 'offline')}
        />
        <Switch
          label="Notify when deliveries lag behind the chain"
          hint="The lag is measured for failing and watched accounts."
          {...toggleOf(form, 'lagging')}
        >
          <TextField
            label="Lag of"
            short
            suffix="minutes"
            hint="From a minute to a week (10 080)."
            inputMode="numeric"
            {...form.field('lagMinutes')}
          />
        </Switch>
        <Switch label="Notify on recovery" {...toggleOf(form, 'recovery')} />
        <NativeSwitch {...toggleOf(form, 'native')} />
        <Switch
          label="Quiet hours"
          hint="No system notifications in this time. Notices in the app are still listed."
          {...toggleOf(form, 'isQuiet')}
        >
          <Row align="start">
            <TextField label="From" type="time" {...form.field('from')} />
            <TextField label="To" type="time" {...form.field('to')} />
          </Row>
        </Switch>
      </SettingsForm>
    </SettingsSection>
  )
}

/** Only the desktop app has system notifications. */
function NativeSwitch(toggle: { checked: boolean; onChange: (checked: boolean) => void }) {
  const host = useData('app.info').data?.host
  const hint =
    host === undefined || host === 'electron'
      ? 'Also visible while the window is closed. Click a notification to open the webhook.'
      : 'You use Tondesk in a browser, which has no system notifications: this setting takes effect in the desktop app only. Here, notices are in the bar at the top.'
  return <Switch label="Also show system notifications" hint={hint} {...toggle} />
}
