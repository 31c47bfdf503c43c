"""A contract under the editor's hands: drafts, and forms made from the rules' schemas. Pure."""
