import button from '../../ui/button.module.css'
import { fillTemplate } from './explorer-template.ts'

/** The same thing in a browser, where the network has such a place. */
export function ExplorerLink({
  template,
  values,
}: {
  /** With `{hash}` or `{address}` in it. */
  template: string | undefined
  values: Readonly<Record<string, string>>
}) {
  if (template === undefined) return null
  return (
    <a
      href={fillTemplate(template, values)}
      target="_blank"
      rel="noreferrer"
      className={button['button']}
    >
      Open in browser
    </a>
  )
}
