import { Switch } from '../../../ui/switch.tsx'

/** What is kept of where a delivery was sent to, besides what it said. */
export function PathSwitches({
  given,
  ofHost,
  onChange,
}: {
  given: { readonly appendPath: boolean; readonly keepHost: boolean }
  /** Which Host the target sees. */
  ofHost: string
  onChange: (part: { readonly appendPath: boolean } | { readonly keepHost: boolean }) => void
}) {
  return (
    <>
      <Switch
        label="Append the path"
        hint="What stands after /hook/<token> goes after the target’s own path, and never above it."
        checked={given.appendPath}
        onChange={(appendPath) => onChange({ appendPath })}
      />
      <Switch
        label="Keep the host"
        hint={ofHost}
        checked={given.keepHost}
        onChange={(keepHost) => onChange({ keepHost })}
      />
    </>
  )
}
