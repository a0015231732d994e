/** What the kernel needs to know of a schema, whichever library made it. */
export interface SchemaNode {
  readonly kind: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'union' | 'other';
  readonly optional: boolean;
  readonly defaultValue?: unknown;
  readonly description?: string | undefined;
  /** The only values there are, for an enumeration. */
  readonly allowed?: readonly string[] | undefined;
  // Functions, because a schema may contain itself.
  readonly item?: () => SchemaNode;
  readonly members?: () => Readonly<Record<string, SchemaNode>>;
  readonly options?: () => readonly SchemaNode[];
}
