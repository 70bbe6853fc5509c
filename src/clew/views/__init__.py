"""The source documents' own shapes and rules, over the stages that everything else uses too."""
